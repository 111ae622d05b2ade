/** The thread's end of `asked-thread.ts`: questions are answered as they come, and failures are told to who asked. */
import type { MessagePort } from 'node:worker_threads';
import type { FromAsked, ToAsked } from './asked-thread.ts';
import { yieldToOthers } from './yield-to-others.ts';

interface AnsweringParts<Sent> {
  readonly name: string;
  readonly answer: (id: number, sent: Sent) => Promise<void>;
  readonly close: () => void | Promise<void>;
}

export function answerAsked<Sent>(port: MessagePort, { name, answer, close }: AnsweringParts<Sent>): void {
  const post = (message: FromAsked<never>) => port.postMessage(message);
  port.on('message', (message: ToAsked<Sent>) => {
    if (message.type === 'ask') {
      const { id, sent } = message;
      void answer(id, sent).catch((error: unknown) =>
        post({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) }),
      );
    } else if (message.type === 'stop') {
      port.close();
      void (async () => close())().catch(() => undefined);
    }
  });
  yieldToOthers(name);
  post({ type: 'ready' });
}
