/** Both OTLP receivers, as the settings say, in front of one reception: its sink is the journal of one machine, or Kafka. */
import type { Settings } from '../../config/settings.ts';
import type { Certificates } from '../../listen/certificates.ts';
import type { AccessGuard } from '../../model/access.ts';
import { Reception, type ReceptionOptions } from '../../receive/reception.ts';
import { startOtlpGrpc } from '../../receive/otlp-grpc.ts';
import { startOtlpHttp } from '../../receive/otlp-http.ts';

export interface OtlpReceivers {
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number };
  stop(): Promise<void>;
}

type Wanted = Pick<ReceptionOptions, 'sink' | 'redaction' | 'onEvent'> & {
  readonly certificates: Certificates | undefined;
  readonly access: AccessGuard;
};

export async function startOtlpReceivers(
  { host, receive, otlpGrpcPort, otlpHttpPort }: Settings,
  { certificates, access, ...wanted }: Wanted,
): Promise<OtlpReceivers> {
  const reception = new Reception({ ...receive, ...wanted });
  const grpc = await startOtlpGrpc({
    host,
    port: otlpGrpcPort,
    reception,
    access,
    security: certificates?.port('otlp_grpc', 'known'),
  });
  try {
    const http = await startOtlpHttp({
      host,
      port: otlpHttpPort,
      reception,
      access,
      security: certificates?.port('otlp_http', 'known'),
    });
    return {
      ports: { otlpGrpc: grpc.port, otlpHttp: http.port },
      stop: async () => {
        await http.stop();
        await grpc.stop();
        await reception.close();
      },
    };
  } catch (error) {
    await grpc.stop();
    throw error;
  }
}
