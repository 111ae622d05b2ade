/** A thread that says again what it is sent, for the test of its end (`answer-asked.ts`). */
import { parentPort } from 'node:worker_threads';
import { answerAsked } from '../../src/serve/threads/answer-asked.ts';

const port = parentPort;
if (port !== null)
  answerAsked<string>(port, {
    name: 'a thread of a test',
    answer: async (id, sent) => port.postMessage({ type: 'replied', id, reply: sent }),
    close: () => {},
  });
