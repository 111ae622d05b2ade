import { readingOf, saidReading } from '../../../src/model/readings.ts';
import { execFile } from 'node:child_process';
import type { SearchCursor } from '../../../src/store/conversation-search.ts';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { closeConversation } from '../../../src/engine/conversation-closing.ts';
import { type ConversationReader, searchFor } from '../../../src/store/conversation-reader.ts';
import { copyStore } from '../../../src/store/copy-store.ts';
import type { Feedback } from '../../../src/model/feedback.ts';
import type { ConversationId, TurnId } from '../../../src/model/ids.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { COUNTED, evaluationOf, LABELS, joinTurn, storeTurn, traceIdOf } from '../../store/contract.ts';
import { judgeRequest } from '../../ask/requests.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { arrivalOf, scoreSimply, openStore, ownLane, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const CONVERSATIONS = 500;

/** Conversations of one to three turns, some scored twice, some failed, some waiting, some without an id. */
function writeSource(directory: string): string {
  const file = path.join(directory, 'assay.db');
  const store = Store.open(file, { durable: false });
  store.begin();
  for (let number = 1; number <= CONVERSATIONS; number += 1) {
    const conversation = number % 5 === 0 ? undefined : `c${number} \0 \uE0A5`;
    for (let turn = 0; turn <= number % 3; turn += 1) {
      const content = {
        traces: Buffer.alloc(100 + ((number * 977) % 90_000), `spans ${number}.${turn} `),
        logs: undefined,
      };
      const of = { number: number * 10 + turn, conversation, at: number * 100 + turn, content };
      const named = conversation === undefined ? { ...of, number: number * 10 } : of;
      const joined = joinTurn(store, named, number % 2 === 0 ? {} : { segment: `s${number % 4} \0` });
      store.totals.earliest('first', COUNTED).note(1_000_000 - number);
      const trace = storeTurn(store, of, joined.row);
      if (conversation === undefined) store.keys.add(joined.row, { has: [`response:${number}`], wants: ['x'] });
      const turnId = traceIdOf(of.number) as string as TurnId;
      const evaluation = evaluationOf({ conversation: joined.id, turnId, explanation: `Turn ${turn}.` });
      store.evaluations.insert(evaluation, { conversation: joined.row, trace, labels: COUNTED }, () =>
        store.totals.series('a_total', COUNTED).add(1),
      );
      if (number % 7 === 0) continue;
      const outcome = number % 4 === 0 ? 'hard_failure' : 'successful_completion';
      store.evaluations.insert(
        evaluationOf({ conversation: joined.id, revision: turn + 1, outcome }),
        { conversation: joined.row, trace: 0, labels: COUNTED },
        () => store.totals.series('b_total', COUNTED).add(2),
      );
      const result = { revision: turn + 1, cause: 'idle', turns: turn + 1, unscoredBecause: undefined } as const;
      closeConversation(store.conversations, joined.row, result);
    }
  }
  store.commit();
  store.close();
  return file;
}

/** Everything that a reader returns. */
async function saidBy(reader: ConversationReader) {
  const conversations: unknown[] = [];
  for (let cursor: SearchCursor | undefined, more = true; more; ) {
    const { rows, next } = await reader.pages.search(searchFor({ limit: 100, cursor }));
    for (const row of rows) {
      const traces = await reader.traces(row);
      const contents = await Promise.all(
        traces.map(async (trace) => Buffer.from((await reader.content(trace))?.traces ?? []).toString('base64')),
      );
      const { row: _, ...conversation } = row;
      conversations.push({
        conversation,
        traces: traces.map(({ row: __, traceId, revision, cause, spans }) => ({ traceId, revision, cause, spans })),
        contents,
        evaluations: await reader.evaluations(row, { revisions: 'all' }),
      });
    }
    cursor = next;
    more = next !== undefined;
  }
  const all: unknown[] = [];
  for await (const evaluation of reader.allEvaluations()) all.push(evaluation);
  return { conversations, all, totals: await reader.totals() };
}

async function readBoth(file: string, url: string) {
  const source = StoreReader.open(file);
  const target = await PostgresReader.open({ url });
  onTestFinished(async () => {
    source.close();
    await target.close();
  });
  return { source, target };
}

test('both readers say the same of a store and of its copy; to copy again changes nothing', async () => {
  const file = writeSource(tempDirectory());
  const url = await freshDatabase();
  const options = { from: file, to: { url }, as: 'copied', intoExisting: false, onProgress: () => {} };

  const first = await copyStore(options);
  const second = await copyStore(options);

  expect(first.copied).toEqual(first.source);
  expect(first).toMatchObject({ target: first.source, leftAlone: 0 });
  expect(second).toMatchObject({ copied: { conversations: 0, traces: 0 }, target: first.source, leftAlone: 0 });
  const { source, target } = await readBoth(file, url);
  expect(await saidBy(target)).toEqual(await saidBy(source));
  expect((await target.pages.search(searchFor({ limit: 10, segment: 's1 \0' }))).rows).toHaveLength(10);
  const store = await openStore(url);
  onTestFinished(() => store.close());
  expect(store.engineStore.totals.all()).toMatchObject([
    { metric: 'first', labels: COUNTED, value: 1_000_000 - CONVERSATIONS },
  ]);
});

test('a copy that was stopped goes on where it was', async () => {
  const file = writeSource(tempDirectory());
  const url = await freshDatabase();
  const options = { from: file, to: { url }, as: 'copied', intoExisting: false };
  const stopped = new Error('stopped');
  const stop = ({ conversations }: { readonly conversations: number }) => {
    if (conversations >= 400) throw stopped;
  };
  await expect(copyStore({ ...options, onProgress: stop })).rejects.toBe(stopped);

  const { copied, source, target } = await copyStore({ ...options, onProgress: () => {} });

  expect(copied.conversations).toBe(CONVERSATIONS - 400);
  expect(target).toEqual(source);
});

test('what was copied goes on: a turn joins its conversation, and what waited is scored', async () => {
  const file = writeSource(tempDirectory());
  const url = await freshDatabase();
  await copyStore({ from: file, to: { url }, as: 'copied', intoExisting: false, onProgress: () => {} });
  const store = await openStore(url);
  onTestFinished(() => store.close());
  const lane = await ownLane(store);
  const id = 'c7 \0 \uE0A5';
  const content = { traces: Buffer.from(JSON.stringify({ id })), logs: undefined };
  const time = 1_000_000;
  // A late part, without an id, of the trace that is all of conversation 5.
  const late = arrivalOf(50, undefined, time - 500, {
    content: { traces: Buffer.from(JSON.stringify({ id: `trace:${traceIdOf(50)}` })), logs: undefined },
  });
  await store.filing.file([
    { lane, time, positions: {}, arrivals: [arrivalOf(99_999, id, time - 500, { content }), late] },
  ]);
  await store.time.move();

  for (let more = true; more; ) {
    more = (await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set))).conversations > 0;
  }

  const { target } = await readBoth(file, url);
  // It was due long before the turn that arrived now.
  expect(await target.find(id)).toMatchObject({ turns: 3, revision: 2 });
  expect(await target.find(`trace:${traceIdOf(50)}`)).toMatchObject({ turns: 3, revision: 4 });
});

test('a target with conversations of its own is refused, unless that is meant', async () => {
  const file = writeSource(tempDirectory());
  const url = await freshDatabase();
  const store = await openStore(url);
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 1000, positions: {}, arrivals: [arrivalOf(1, 'its own', 500)] }]);
  await store.time.move();
  await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));
  await store.close();
  const assay = (...flags: readonly string[]) =>
    promisify(execFile)(process.execPath, ['src/cli/main.ts', 'store', 'copy', file, '--to', url, ...flags], {
      env: { ...process.env, ASSAY_KAFKA_BROKERS: '' },
    });

  await expect(assay()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--into-existing') });
  const { stdout } = await assay('--into-existing');

  expect(stdout).toContain(`copied ${CONVERSATIONS} conversations`);
});

test('what people have put in goes with it: truth, labels, kinds of failure and feedback', async () => {
  const file = writeSource(tempDirectory());
  const label = { conversationId: 'c1', turnId: undefined, suite: 'pack', criterion: 'right', by: 'ana', note: 'See.' };
  const source = Store.open(file, { durable: false });
  source.truths.put('c1 \0', { right: true });
  const outcome = { conversationId: 'c1 \0', label: 'csat', isGood: true, value: '5', case: undefined };
  source.readings.put([readingOf(outcome)]);
  const bad = { conversation_id: 'c1 \0 \uE0A5', by: 'ana', answer: 'bad', kind: 'refund \0' } as const;
  source.readings.put([saidReading(bad)]);
  const { agent } = LABELS;
  source.failures.change({ agent, kind: 'refund \0', state: 'watched', by: 'ana' });
  const said = { id: 'f \0', name: 'thumbs', user: 'u', atMs: 1, polarity: 'positive', way: 'api' } as const;
  // The cast is the brand: this is a test.
  const feedback: Feedback = { ...said, conversationId: 'c1 \0' as ConversationId };
  source.feedbackRows.put([feedback]);
  source.labels.put([{ ...label, label: 'pass' }]);
  source.labels.put([{ ...label, label: 'fail' }]);
  source.close();
  const url = await freshDatabase();

  await copyStore({ from: file, to: { url }, as: 'copied', intoExisting: false, onProgress: () => {} });

  const store = await openStore(url);
  onTestFinished(() => store.close());
  expect(await store.truths.put('c1 \0', { right: true })).toBe(false);
  expect(await store.readings.put([readingOf(outcome)])).toBe(0);
  expect(await store.readings.put([saidReading(bad)])).toBe(0);
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  expect(await reader.failures.failedReadings(agent)).toMatchObject([{ by: 'ana', kind: 'refund \0' }]);
  expect(await reader.failures.keptKinds(agent)).toMatchObject([{ name: 'refund \0', state: 'watched' }]);
  expect(await store.feedbackRows.stored([feedback])).toEqual([feedback]);
  expect(await store.feedbackRows.put([feedback])).toEqual(['known']);
  expect(await store.labels.put([{ ...label, label: 'fail' }])).toBe(0);
  expect(await store.labels.put([{ ...label, label: 'pass' }])).toBe(1);
});

test('a source in which evaluations wait for a judge is not copied', async () => {
  const file = writeSource(tempDirectory());
  const source = Store.open(file, { durable: false });
  source.begin();
  source.waiting.put({
    evaluation: { ...evaluationOf({ conversation: 'c1' }), waitsFor: ['right'] },
    place: { conversation: 1, trace: 0, labels: COUNTED },
    counted: [],
    requests: [judgeRequest('a')],
  });
  source.commit();
  source.close();

  const copying = copyStore({
    from: file,
    to: { url: await freshDatabase() },
    as: 'copied',
    intoExisting: false,
    onProgress: () => {},
  });

  await expect(copying).rejects.toThrow('1 evaluations in the source wait for a judge');
});
