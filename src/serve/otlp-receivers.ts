/** Both OTLP receivers, as the settings say, in front of one sink: the journal of one machine, or Kafka. */
import type { Settings } from '../config/settings.ts';
import { startOtlpGrpc } from '../receive/otlp-grpc.ts';
import { type OtlpHttpOptions, startOtlpHttp } from '../receive/otlp-http.ts';

type Wanted = Pick<OtlpHttpOptions, 'sink' | 'redaction' | 'onEvent'> & {
  /** What must be stopped, in the order in which it was started. */
  readonly stops: (() => unknown)[];
};

export async function startOtlpReceivers(
  { host, receive, otlpGrpcPort, otlpHttpPort }: Settings,
  { sink, redaction, onEvent, stops }: Wanted,
): Promise<{ readonly otlpGrpc: number; readonly otlpHttp: number }> {
  const { maxBodyBytes, maxInFlightBytes } = receive;
  const common = { host, maxBodyBytes, maxInFlightBytes, sink, redaction, onEvent };
  const grpc = await startOtlpGrpc({ ...common, port: otlpGrpcPort });
  stops.push(() => grpc.stop());
  const http = await startOtlpHttp({ ...common, port: otlpHttpPort });
  stops.push(() => http.stop());
  return { otlpGrpc: grpc.port, otlpHttp: http.port };
}
