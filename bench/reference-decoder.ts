/**
 * The reference of the speed claims: protobufjs, decoding whole requests, nothing else. At run time its reflection
 * compiles the same decoders that its static generator writes to a file; the two were measured to be equally fast.
 */
import protobuf from 'protobufjs';
import { OTLP_PROTO } from '../test/otlp/otlp.proto.ts';

export function referenceDecoder(): (bytes: Uint8Array) => unknown {
  const { root } = protobuf.parse(OTLP_PROTO, { keepCase: true });
  const type = root.lookupType('ExportTraceServiceRequest').setup();
  return (bytes) => type.decode(bytes);
}
