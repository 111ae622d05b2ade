/** The thread's end: only the order to stop ends it. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { startThread } from '../../src/model/start-thread.ts';

test('a client that goes away leaves the thread to the others', async () => {
  const thread = startThread({ module: 'answering-thread', from: import.meta.url }, {});
  onTestFinished(async () => void (await thread.terminate()));
  expect(await once(thread, 'message')).toEqual([{ type: 'ready' }]);

  thread.postMessage({ type: 'gone', id: 1 });
  thread.postMessage({ type: 'ask', id: 2, sent: 'still there' });
  expect(await once(thread, 'message')).toEqual([{ type: 'replied', id: 2, reply: 'still there' }]);

  thread.postMessage({ type: 'stop' });
  expect(await once(thread, 'exit')).toEqual([0]);
});
