/** Listening, with an error that says what to do about it. */
import type { Server } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
}

/** `what` names the purpose of the port, and perhaps the setting that moves it. */
export function listen(server: Server, what: string, { host, port }: ListenAddress): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const onError = (error: Error) => reject(listenError(what, { host, port }, error));
  server.once('error', onError);
  server.listen(port, host, () => {
    server.off('error', onError);
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}

function listenError(what: string, { host, port }: ListenAddress, cause: Error): Error {
  const advice = cause.message.includes('EADDRINUSE')
    ? 'another program uses it, perhaps a Collector or another Assay. Stop it or choose another port'
    : cause.message;
  return new Error(`cannot listen on ${host}:${port} for ${what}: ${advice}`, { cause });
}
