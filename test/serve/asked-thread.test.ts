/** The main thread's end of a thread that is asked: how many at once, what it wants, and clients that go away. */
import { expect, onTestFinished, test } from 'vitest';
import { AskedThread } from '../../src/serve/threads/asked-thread.ts';
import type { Told } from './told-thread.ts';

function started(atOnceMax: number) {
  const wanted: string[] = [];
  const thread = new AskedThread<Told, Told, string, string, string, string>({
    runs: { module: 'told-thread', from: import.meta.url },
    startData: () => ({}),
    current: () => 'parts',
    sent: (told) => told,
    give: async (what) => {
      wanted.push(what);
      return `${what} and butter`;
    },
    limits: {
      deadlineMs: 20_000,
      waitMaxMs: 20_000,
      atOnceMax,
      waitingMax: 8,
      waitingOfOneMax: 8,
      idleMs: 20_000,
      heapMibMax: 64,
      farewellMs: 1_000,
      stopMs: 1_000,
    },
  });
  onTestFinished(() => thread.stop());
  const ask = (told: Told['do'], signal = new AbortController().signal) =>
    thread.ask({ question: { do: told }, from: 'a', signal });
  return { ask, wanted };
}

test('a second question is answered while the first one waits, if two may run at once', async () => {
  const { ask } = started(2);
  const gone = new AbortController();
  const first = ask('wait', gone.signal);
  expect(await ask('reply')).toEqual({ is: 'replied', reply: 'done' });
  gone.abort();
  expect(await first).toEqual({ is: 'failed', error: 'the client went away' });
});

test('otherwise it waits for the first one', async () => {
  const { ask } = started(1);
  const gone = new AbortController();
  const order: string[] = [];
  const first = ask('wait', gone.signal).then(() => order.push('first'));
  const second = ask('reply').then(() => order.push('second'));
  gone.abort();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

test('the thread is given what it wants for a question', async () => {
  const { ask, wanted } = started(1);
  expect(await ask('want')).toEqual({ is: 'replied', reply: 'given bread and butter' });
  expect(wanted).toEqual(['bread']);
});

test('a thread that works on after its client has gone is ended, and the next question gets another one', async () => {
  const { ask } = started(2);
  expect(await ask('reply')).toEqual({ is: 'replied', reply: 'done' });
  const gone = new AbortController();
  const hanging = ask('hang', gone.signal);
  const beside = ask('wait');
  gone.abort();
  expect(await hanging).toEqual({ is: 'refused', because: 'client_gone' });
  expect(await beside).toEqual({ is: 'refused', because: 'thread_ended' });
  expect(await ask('reply')).toEqual({ is: 'replied', reply: 'done' });
});
