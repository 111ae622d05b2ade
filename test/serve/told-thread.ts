/** A thread that does what it is told, for tests of the main thread's end. */
import { parentPort } from 'node:worker_threads';
import type { FromAsked, ToAsked } from '../../src/serve/threads/asked-thread.ts';

export type Told =
  | { readonly do: 'reply' }
  /** Asks for something first. */
  | { readonly do: 'want' }
  /** Waits until its client has gone. */
  | { readonly do: 'wait' }
  /** Works on without looking at messages. */
  | { readonly do: 'hang' };

const port = parentPort;
const post = (message: FromAsked<string, string>) => port?.postMessage(message);
const waiting = new Set<number>();

port?.on('message', (message: ToAsked<Told, string>) => {
  if (message.type === 'stop') port.close();
  else if (message.type === 'given') post({ type: 'replied', id: message.id, reply: `given ${message.given}` });
  else if (message.type === 'gone') {
    if (waiting.delete(message.id)) post({ type: 'failed', id: message.id, error: 'the client went away' });
  } else if (message.sent.do === 'reply') post({ type: 'replied', id: message.id, reply: 'done' });
  else if (message.sent.do === 'want') post({ type: 'wants', id: message.id, want: 1, wanted: 'bread' });
  else if (message.sent.do === 'wait') waiting.add(message.id);
  else for (;;);
});
post({ type: 'ready' });
