/** Requests to forget that wait for their turn, and clients that go away meanwhile. */
import { expect, test } from 'vitest';
import { askedConversation } from '../../../src/serve/forgetting/forget.ts';
import { type ForgetCommand, Forgetting } from '../../../src/serve/forgetting/forgetting.ts';
import { tempDirectory } from '../../temp-directory.ts';

test('a dry run is not begun for a client that has gone, and what was asked to be forgotten is', async () => {
  const searched: unknown[] = [];
  const forgetting: Forgetting = new Forgetting({
    tell: ({ id, step }: ForgetCommand) => {
      if (step.do === 'find') searched.push(step.conversation);
      const dropped = { conversations: 0, traces: 0, said: { truths: 0, outcomes: 0, labels: 0, feedback: 0 } };
      // The thread answers later than it is asked.
      setImmediate(() =>
        forgetting.receive({ type: 'forget-step', id, answer: { conversations: [], dropped, isSettled: true } }),
      );
      return true;
    },
  });
  const folder = tempDirectory();
  forgetting.open({ log: undefined, dataDir: folder, experimentsDir: folder, idKeys: [] });
  const gone = new AbortController();
  const ask = (name: string, dryRun: boolean, signal?: AbortSignal) =>
    forgetting.forget(
      { about: { conversation: askedConversation(name), users: [] }, dryRun, dropSetAside: false },
      signal,
    );

  const asked = [ask('waits', true), ask('left', true, gone.signal), ask('left too', false, gone.signal)];
  gone.abort();

  expect(await Promise.all(asked)).toMatchObject([
    { is: 'would-be-forgotten' },
    { unavailable: 'the client went away' },
    { is: 'forgotten' },
  ]);
  expect(searched).toEqual(['waits', 'left too']);
});
