/** Does something for a client, with a signal that is aborted when the client goes away before it is done. */
import type { IncomingMessage } from 'node:http';

export async function untilGone<T>({ socket }: IncomingMessage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const onClose = () => gone.abort();
  socket.once('close', onClose);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', onClose);
  }
}
