/**
 * A receiver for the spans of one's own agent: OTLP over HTTP on loopback, without tokens, with a reception that nothing
 * else uses. Where the process goes on to end by itself, as `assay run` does, stopping it must leave nothing running.
 */
import { OPEN_TO_ALL } from '../model/access.ts';
import { type Receiver, startOtlpHttp } from './otlp-http.ts';
import { Reception, type ReceptionOptions } from './reception.ts';

const HOST = '127.0.0.1';

/** Port 0 for any that is free. */
export async function startPrivateReceiver({
  port,
  ...options
}: ReceptionOptions & { readonly port: number }): Promise<Receiver> {
  const reception = new Reception(options);
  const receiver = await startOtlpHttp({ host: HOST, port, reception, access: OPEN_TO_ALL });
  const stop = async () => {
    await receiver.stop();
    await reception.close();
  };
  return { port: receiver.port, stop };
}
