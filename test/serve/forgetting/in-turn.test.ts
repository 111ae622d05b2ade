/** Requests to forget that wait for their turn, and clients that go away meanwhile. */
import { expect, test } from 'vitest';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { askedConversation, type ForgettingLog } from '../../../src/serve/forgetting/forget.ts';
import { type ForgetCommand, Forgetting, takeStep } from '../../../src/serve/forgetting/forgetting.ts';
import type { StepTaker } from '../../../src/serve/forgetting/steps.ts';
import { tempDirectory } from '../../temp-directory.ts';

const NOTHING = Buffer.alloc(0);
const EMPTY_RECORD = { table: encodeTable(indexTraces(NOTHING)), payload: NOTHING };

test('a dry run is not begun for a client that has gone, and what was asked to be forgotten is', async () => {
  const searched: unknown[] = [];
  const forgetting: Forgetting = new Forgetting({
    tell: ({ id, step }: ForgetCommand) => {
      if (step.do === 'find') searched.push(step.conversation);
      const dropped = { conversations: 0, traces: 0, said: { truths: 0, readings: 0, labels: 0, feedback: 0 } };
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
    forgetting.forget({
      about: { conversation: askedConversation(name), users: [] },
      dryRun,
      dropSetAside: false,
      gone: signal,
    });

  const asked = [ask('waits', true), ask('left', true, gone.signal), ask('left too', false, gone.signal)];
  gone.abort();

  expect(await Promise.all(asked)).toMatchObject([
    { is: 'would-be-forgotten' },
    { unavailable: 'the client went away' },
    { is: 'forgotten' },
  ]);
  expect(searched).toEqual(['waits', 'left too']);
});

test.for([
  [true, 1, { problem: 'not all of it is forgotten, ask again: the client went away' }],
  [false, 3, { is: 'forgotten' }],
] as const)('a search of the journal ends with its client: dry run %s', async ([dryRun, read, result]) => {
  const folder = tempDirectory();
  const gone = new AbortController();
  let records = 0;
  const log: ForgettingLog = {
    place: { position: 0, logTime: 0 },
    rewrite: async (edit) => {
      for (let record = 0; record < 3; record++) {
        edit(EMPTY_RECORD);
        records++;
        gone.abort();
      }
    },
  };
  const dropped = { conversations: 0, traces: 0, said: { truths: 0, readings: 0, labels: 0, feedback: 0 } };
  const store: StepTaker = { take: async () => ({ conversations: [], dropped, isSettled: true }) };
  const forgetting = new Forgetting({
    tell: (command) => {
      void takeStep(store, command).then((message) => forgetting.receive(message));
      return true;
    },
  });
  forgetting.open({ log, dataDir: folder, experimentsDir: folder, idKeys: [] });

  const about = { conversation: askedConversation('left'), users: [] };
  const asked = await forgetting.forget({ about, dryRun, dropSetAside: false, gone: gone.signal });

  expect(asked).toMatchObject(result);
  expect(records).toBe(read);
});
