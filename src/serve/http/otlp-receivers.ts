/**
 * Both OTLP receivers, as the settings say, in front of one reception: its sink is the journal of one machine, or Kafka.
 * A project among several is behind the ports of the default one.
 */
import type { Settings } from '../../config/settings.ts';
import type { Certificates } from '../../listen/certificates.ts';
import type { AccessGuard } from '../../model/access.ts';
import { Reception, type ReceptionOptions } from '../../receive/reception.ts';
import { GrpcReceiver, startOtlpGrpc } from '../../receive/otlp-grpc.ts';
import { HttpReceiver, startOtlpHttp } from '../../receive/otlp-http.ts';
import type { SharedPorts } from './shared-ports.ts';

export interface OtlpReceivers {
  readonly ports: { readonly otlpGrpc: number; readonly otlpHttp: number };
  stop(): Promise<void>;
}

type Wanted = Pick<ReceptionOptions, 'sink' | 'redaction' | 'onEvent'> & {
  readonly certificates: Certificates | undefined;
  readonly access: AccessGuard;
  readonly shared: SharedPorts | undefined;
};

export async function startOtlpReceivers(
  { host, receive, otlpGrpcPort, otlpHttpPort, project }: Settings,
  { certificates, access, shared, ...wanted }: Wanted,
): Promise<OtlpReceivers> {
  const reception = new Reception({ ...receive, ...wanted });
  if (shared !== undefined && project !== undefined) {
    const side = { reception, access };
    const closing = [
      shared.otlpGrpc.open(project, new GrpcReceiver(side)),
      shared.otlpHttp.open(project, new HttpReceiver(side)),
    ];
    const stop = async () => {
      for (const close of closing) close();
      await reception.whenIdle();
      await reception.close();
    };
    return { ports: { otlpGrpc: otlpGrpcPort, otlpHttp: otlpHttpPort }, stop };
  }
  const grpc = await startOtlpGrpc({
    host,
    port: otlpGrpcPort,
    reception,
    access,
    shared: shared?.otlpGrpc,
    security: certificates?.port('otlp_grpc', 'known'),
  });
  try {
    const http = await startOtlpHttp({
      host,
      port: otlpHttpPort,
      reception,
      access,
      shared: shared?.otlpHttp,
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
