/**
 * The reference of the speed claims: protobufjs, decoding whole requests, nothing else. Its reflection compiles the same
 * decoders at run time that its static generator writes to a file; the two were measured level.
 */
import protobuf from 'protobufjs';
import { OTLP_PROTO } from '../test/model/otlp/otlp.proto.ts';

export function referenceDecoder(): (bytes: Uint8Array) => unknown {
  const { root } = protobuf.parse(OTLP_PROTO, { keepCase: true });
  const type = root.lookupType('ExportTraceServiceRequest').setup();
  return (bytes) => type.decode(bytes);
}
