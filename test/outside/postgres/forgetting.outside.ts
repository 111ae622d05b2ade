import { readingOf } from '../../../src/model/readings.ts';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationId } from '../../../src/model/ids.ts';
import { PostgresForgetting } from '../../../src/serve/cluster/postgres-forgetting.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { exportRequest } from '../../simulation/traffic.ts';
import { spansOf } from '../../serve/forgetting/folder.ts';
import { traceIdOf } from '../../store/contract.ts';
import { arrivalOf, openStore, ownLane, scoreSimply, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const SECRET = 'heron-quartz';
const PLACE = { position: 0, logTime: 0 };

async function held() {
  const url = await freshDatabase();
  const store = await openStore(url, { outboxPayload: () => Buffer.from(SECRET) });
  const link = new Link({ address: { url }, name: 'test', leaseMs: 60_000 });
  onTestFinished(async () => {
    await store.close();
    await link.close();
  });
  const lane = await ownLane(store);
  let time = 0;
  const file = async (number: number, conversation: string, more: Parameters<typeof arrivalOf>[3] = {}) => {
    time += 1000;
    return store.filing.file([
      { lane, time, positions: {}, arrivals: [arrivalOf(number, conversation, time - 500, more)] },
    ]);
  };
  const score = async () => {
    await store.time.move();
    await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));
  };
  /** Tables with a row that has the text. */
  const tablesWith = async (text: string): Promise<readonly string[]> => {
    const tables = await link.use((session) =>
      session.once<{ name: string }>(
        `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`,
      ),
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const [row] = await link.use((session) =>
        session.once<{ there: boolean }>(
          `SELECT EXISTS (SELECT 1 FROM ${name} t WHERE to_jsonb(t)::text LIKE $1 OR to_jsonb(t)::text LIKE $2) AS there`,
          [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`],
        ),
      );
      if (row?.there === true) found.push(name);
    }
    return found.toSorted();
  };
  return {
    store,
    file,
    score,
    tablesWith,
    steps: new PostgresForgetting(store.forgetting, { archive: store.archive, totals: store.engineStore.totals }, []),
  };
}

test('a scored conversation goes from all tables, with what waits and what was said of it; others and totals stay', async () => {
  const { store, file, score, tablesWith, steps } = await held();
  await file(1, 'meant');
  await file(2, 'other');
  await score();
  await file(3, 'meant');
  await store.truths.put('meant', { note: SECRET });
  // The cast is the brand: this is a test.
  const conversationId = 'meant' as ConversationId;
  const opinion = { name: 'thumbs', polarity: 'negative', comment: SECRET } as const;
  await store.feedbackRows.put([{ id: 'f', conversationId, ...opinion, atMs: 1, way: 'api' }]);
  await store.labels.put([
    { conversationId: 'meant', turnId: undefined, suite: 's', criterion: 'c', label: 'pass', by: 'a', note: SECRET },
  ]);
  await store.readings.put([
    readingOf({ conversationId: 'meant', label: 'l', isGood: true, value: SECRET, case: undefined }),
  ]);
  await store.results.forget([]);
  const totals = store.engineStore.totals.all();
  expect((await tablesWith('meant')).length).toBeGreaterThan(5);
  expect((await tablesWith(SECRET)).length).toBeGreaterThan(3);

  const found = await steps.take({ do: 'find', conversation: 'meant' as ConversationId, users: [] });
  expect(found.said).toEqual({ truths: 1, readings: 1, labels: 1, feedback: 1 });

  const answer = await steps.take({
    do: 'drop',
    conversations: ['meant' as ConversationId],
    users: [],
    traces: [],
    place: PLACE,
  });

  expect(answer.dropped).toEqual({
    conversations: 1,
    traces: 2,
    said: { truths: 1, readings: 1, labels: 1, feedback: 1 },
  });
  expect(await tablesWith('meant')).toEqual([]);
  // The outbox has what is to be published of the other one.
  expect(await tablesWith(SECRET)).toEqual(['outbox_new']);
  expect((await tablesWith('other')).length).toBeGreaterThan(3);
  expect(store.engineStore.totals.all()).toEqual(totals);
  expect(totals.length).toBeGreaterThan(0);
});

test('what arrives later of it is left out and said, by its traces and by its name', async () => {
  const { file, score, tablesWith, steps } = await held();
  await file(1, 'meant');
  await score();
  await steps.take({ do: 'drop', conversations: ['meant' as ConversationId], users: [], traces: [], place: PLACE });

  const byTrace = await file(1, 'meant', { conversationId: undefined });
  const byName = await file(2, 'meant');
  const laterOfThat = await file(2, 'meant', { conversationId: undefined });
  const [kept] = [await file(3, 'other')];
  await score();

  expect([byTrace, byName, laterOfThat].map((left) => left.map(({ traceId }) => traceId))).toEqual([
    [traceIdOf(1)],
    [traceIdOf(2)],
    [traceIdOf(2)],
  ]);
  expect(kept).toEqual([]);
  expect(await tablesWith('meant')).toEqual([]);
});

test('finds the conversations of a user in what is stored and in what waits', async () => {
  const { file, steps } = await held();
  const content = (user: string, conversation: string, number: number) => {
    const spans = spansOf({ conversation, user, trace: traceIdOf(number), text: SECRET });
    return {
      content: {
        traces: Buffer.from(transcodeTraces(Buffer.from(exportRequest(spans as never, 'v1')))),
        logs: undefined,
      },
    };
  };
  await file(1, 'first', content('ana', 'first', 1));
  await file(2, 'other', content('bo', 'other', 2));
  await file(3, 'second', content('ana', 'second', 3));

  const found = await steps.take({ do: 'find', conversation: undefined, users: ['ana'] });

  expect(found.conversations).toEqual(['first', 'second']);
  const named = { do: 'find', users: [] } as const;
  expect(await steps.take({ ...named, conversation: 'other' as ConversationId })).toMatchObject({
    conversations: ['other'],
  });
  expect(await steps.take({ ...named, conversation: 'nobody' as ConversationId })).toMatchObject({ conversations: [] });
});
