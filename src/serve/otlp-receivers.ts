/** Both OTLP receivers, as the settings say, in front of one sink: the journal of one machine, or Kafka. */
import type { Settings } from '../config/settings.ts';
import { startOtlpGrpc } from '../receive/otlp-grpc.ts';
import { type OtlpHttpOptions, startOtlpHttp } from '../receive/otlp-http.ts';

export interface OtlpReceivers {
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number };
  stop(): Promise<void>;
}

export async function startOtlpReceivers(
  { host, receive, otlpGrpcPort, otlpHttpPort }: Settings,
  wanted: Pick<OtlpHttpOptions, 'sink' | 'redaction' | 'onEvent'>,
): Promise<OtlpReceivers> {
  const common = { host, ...receive, ...wanted };
  const grpc = await startOtlpGrpc({ ...common, port: otlpGrpcPort });
  try {
    const http = await startOtlpHttp({ ...common, port: otlpHttpPort });
    return {
      ports: { otlpGrpc: grpc.port, otlpHttp: http.port },
      stop: async () => {
        await http.stop();
        await grpc.stop();
      },
    };
  } catch (error) {
    await grpc.stop();
    throw error;
  }
}
