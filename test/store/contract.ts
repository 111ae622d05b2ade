/**
 * The contract of every store. A store joins by one line: `holdToContract('name', openIt)`.
 *
 * A test says which turns have closed and works on the store in a transaction, as the engine does. SQLite only needs
 * the work; a shared store first gets the turns, as lanes would file them.
 */
import type { SearchCursor } from '../../src/store/conversation-search.ts';
import { expect, onTestFinished, test } from 'vitest';
import type { DueCause } from '../../src/model/causes.ts';
import type { Evaluation, Outcome, Verdict } from '../../src/model/evaluation.ts';
import type { ConversationId, SpanId, TraceId, TurnId } from '../../src/model/ids.ts';
import {
  absorbConversation,
  closeConversation,
  joinConversation,
  dueConversations,
} from '../../src/engine/conversation-closing.ts';
import { decodeSubAgents, encodeSubAgents } from '../../src/store/sub-agents-codec.ts';
import { type ConversationReader, searchFor } from '../../src/store/conversation-reader.ts';
import { decodeBasis } from '../../src/store/basis-codec.ts';
import type { EvaluationScanner, ScannedEvaluation, ScanQuery } from '../../src/store/evaluation-scan.ts';
import type { DetectionRound, DetectionStore } from '../../src/store/detection-store.ts';
import type { ResultStore } from '../../src/store/result-store.ts';
import type { ConversationGlance } from '../../src/store/conversation-columns.ts';
import type { EngineStore, StoredConversation, Total, TraceContent } from '../../src/store/engine-store.ts';

export interface Turn {
  readonly number: number;
  /** Undefined if its spans name none. */
  readonly conversation: string | undefined;
  readonly at: number;
  readonly content?: TraceContent;
  readonly has?: readonly string[];
  readonly wants?: readonly string[];
  readonly linked?: readonly number[];
}

export interface Hints {
  /** The turns that closed since the last transaction. */
  readonly turns?: readonly Turn[];
  /** The log's time. */
  readonly until: number;
}

export interface StoreUnderTest {
  readonly store: EngineStore;
  readonly detection: DetectionStore;
  readonly results: ResultStore;
  /** Returns the result of the commit. */
  transact<T>(hints: Hints, work: () => T): Promise<{ readonly result: T; readonly totals: readonly Total[] }>;
  /** Does the work and stops before the commit, like a crash; the store is open again afterwards. */
  crash(hints: Hints, work: () => void): Promise<void>;
  reopen(): Promise<void>;
  reader(): Promise<ConversationReader & EvaluationScanner>;
  close(): Promise<void>;
}

export const LABELS = { agent: 'helper', agentVersion: 'v1', environment: 'test' };
export const COUNTED = { agent: 'helper', agent_version: 'v1', environment: 'test' };
const SUB_AGENTS = [
  { name: 'billing', steps: 3, errors: 1, costNanos: 1_250_000 },
  { name: 'a "quoted", [name]', steps: 2, errors: 0, costNanos: undefined },
];
const SEEN = {
  at: 1000,
  steps: 4,
  costNanos: 2500,
  tokens: 90,
  durationMs: 1200,
  beganAt: 950,
  userKey: 7,
  kindKey: undefined,
};

export function traceIdOf(number: number): TraceId {
  return number.toString(16).padStart(32, '0') as TraceId;
}

export function contentOf(turn: Turn): TraceContent {
  return turn.content ?? { traces: Buffer.from(`spans ${turn.number}`), logs: undefined };
}

export function evaluationOf(options: {
  readonly conversation: string;
  readonly revision?: number;
  readonly outcome?: Outcome;
  readonly turnId?: TurnId;
  readonly explanation?: string;
}): Evaluation {
  const outcome = options.outcome ?? 'successful_completion';
  const failed = outcome !== 'successful_completion';
  return {
    conversationId: options.conversation as ConversationId,
    turnId: options.turnId,
    suite: 'pack',
    suiteVersion: '1',
    scope: options.turnId === undefined ? 'conversation' : 'turn',
    revision: options.revision ?? 1,
    score: failed ? 400_000 : 1_000_000,
    outcome,
    decidedShare: 625_000,
    about: 'form',
    ...(failed && { because: 'right' }),
    explanation: options.explanation ?? 'It went as it went.',
    verdicts: new Map<string, Verdict>([
      ['polite', { verdict: 'pass', reason: 'It was.', evidence: [], judgedBy: { judge: 'default', version: 'abc' } }],
      ['right', { verdict: failed ? 'fail' : 'pass', reason: 'See there.', evidence: ['00000000000000aa' as SpanId] }],
    ]),
    ...(failed && {
      findings: [{ finding: 'lucky_path', reason: 'By luck.', evidence: ['00000000000000ab' as SpanId] }],
    }),
  };
}

const HOUR_MS = 3_600_000;

export function joinTurn(
  store: EngineStore,
  turn: Turn,
  options: {
    readonly dueNow?: DueCause;
    readonly turnsAdded?: number;
    readonly agent?: string;
    readonly segment?: string;
    readonly glance?: ConversationGlance;
    readonly facts?: readonly string[];
  } = {},
): StoredConversation {
  const labels = options.agent === undefined ? LABELS : { ...LABELS, agent: options.agent };
  return joinConversation(store.conversations, {
    id: (turn.conversation ?? `trace:${traceIdOf(turn.number)}`) as ConversationId,
    labels: options.segment === undefined ? labels : { ...labels, segment: options.segment },
    at: turn.at,
    glance: options.glance ?? {},
    facts: options.facts ?? [],
    turnsAdded: options.turnsAdded ?? 1,
    dueNowBecause: options.dueNow,
    limits: { idleMs: 300, maxAgeMs: 10_000, maxTurns: 1000, openMaxMs: 900 },
  });
}

export function storeTurn(store: EngineStore, turn: Turn, conversation: number): number {
  return store.traces.insert({
    traceId: traceIdOf(turn.number),
    conversation,
    revision: 1,
    position: 0,
    closedAt: turn.at,
    spans: 3,
    sealed: false,
    cause: 'settled',
    content: contentOf(turn),
  });
}

/** Joins the turn to its conversation, stores it, and evaluates the conversation at once. */
export function scoreAtOnce(
  store: EngineStore,
  turn: Turn,
  outcome: Outcome = 'successful_completion',
  labels: { readonly agent?: string } = {},
): number {
  const conversation = joinTurn(store, turn, { dueNow: 'end_marker', ...labels });
  const trace = storeTurn(store, turn, conversation.row);
  const revision = conversation.revision + 1;
  store.evaluations.insert(
    evaluationOf({ conversation: conversation.id, outcome, revision }),
    { conversation: conversation.row, trace, labels: COUNTED },
    () => store.totals.series('assay_evaluations_total', COUNTED).add(1),
  );
  closeConversation(store.conversations, conversation.row, {
    revision,
    cause: 'end_marker',
    turns: conversation.turns,
    unscoredBecause: undefined,
  });
  return conversation.row;
}

async function found(reader: ConversationReader, id: string) {
  const conversation = await reader.find(id);
  if (conversation === undefined) throw new Error(`conversation ${id} is not there`);
  return conversation;
}

export function holdToContract(name: string, open: () => Promise<StoreUnderTest>): void {
  async function opened(): Promise<StoreUnderTest> {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  }

  test(`${name}: what was committed is read back as it was written`, async () => {
    const under = await opened();
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    await under.transact({ turns: [turn], until: 1000 }, () => scoreAtOnce(under.store, turn, 'partial_failure'));

    const reader = await under.reader();
    const conversation = await found(reader, 'c1');
    expect(conversation).toMatchObject({ ...LABELS, turns: 1, revision: 1, cause: 'end_marker' });
    const evaluations = await reader.evaluations(conversation, { revisions: 'all' });
    expect(evaluations).toEqual([evaluationOf({ conversation: 'c1', outcome: 'partial_failure' })]);
    const { suite, turnId, score, outcome, because, decidedShare, about, explanation } = evaluationOf({
      conversation: 'c1',
      outcome: 'partial_failure',
    });
    const summaries = await reader.summaries([conversation]);
    expect([...summaries]).toEqual([
      [conversation.row, [{ suite, turnId, score, outcome, because, decidedShare, about, explanation }]],
    ]);
    const [stored] = await reader.traces(conversation);
    if (stored === undefined) throw new Error('the trace is not there');
    expect(stored).toMatchObject({ traceId: traceIdOf(1), revision: 1, cause: 'settled', spans: 3 });
    expect(Buffer.from((await reader.content(stored))?.traces ?? []).toString()).toBe('spans 1');
    const idsBy = async (query: object) =>
      (await reader.pages.search(searchFor({ limit: 10, ...query }))).rows.map(({ conversationId }) => conversationId);
    expect(await idsBy({ criterion: 'right' })).toEqual(['c1']);
    expect(await idsBy({ criterion: 'polite' })).toEqual([]);
    expect(await idsBy({ outcome: 'partial_failure', suite: 'pack', agent: 'helper', agentVersion: 'v1' })).toEqual([
      'c1',
    ]);
    expect(await idsBy({ outcome: 'hard_failure' })).toEqual([]);
    expect(await idsBy({ agent: 'other' })).toEqual([]);
    const all: Evaluation[] = [];
    for await (const evaluation of reader.allEvaluations()) all.push(evaluation);
    expect(all).toEqual(evaluations);
  });

  test(`${name}: spans and log records of a trace are kept apart, large ones too`, async () => {
    const under = await opened();
    const traces = Buffer.alloc(200_000, 'history ');
    const turn = { number: 1, conversation: 'c1', at: 1000, content: { traces, logs: Buffer.from('records') } };
    await under.transact({ turns: [turn], until: 1000 }, () => {
      const trace = storeTurn(under.store, turn, joinTurn(under.store, turn).row);
      expect(Buffer.from(under.store.traces.contentOf(trace).logs ?? []).toString()).toBe('records');
    });

    const reader = await under.reader();
    const [stored] = await reader.traces(await found(reader, 'c1'));
    const content = stored === undefined ? undefined : await reader.content(stored);
    expect(Buffer.compare(content?.traces ?? Buffer.alloc(0), traces)).toBe(0);
    expect(Buffer.from(content?.logs ?? []).toString()).toBe('records');
  });

  test(`${name}: a trace that is revised has its new content and revision, and stays one`, async () => {
    const under = await opened();
    const { store } = under;
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    await under.transact({ turns: [turn], until: 1000 }, () => storeTurn(store, turn, joinTurn(store, turn).row));
    const late = { ...turn, at: 1100 };
    await under.transact({ turns: [late], until: 1100 }, () => {
      const known = store.traces.find(traceIdOf(1));
      if (known === undefined) throw new Error('the trace is not there');
      expect(Buffer.from(store.traces.contentOf(known.row).traces).toString()).toBe('spans 1');
      const conversation = joinTurn(store, late, { turnsAdded: 0 });
      const content = { traces: Buffer.from('more'), logs: undefined };
      const revised = {
        ...known,
        conversation: conversation.row,
        revision: 2,
        closedAt: 1100,
        spans: 4,
        cause: 'idle',
      } as const;
      store.traces.revise({ ...revised, sealed: true, content });
    });

    const reader = await under.reader();
    const conversation = await found(reader, 'c1');
    const traces = await reader.traces(conversation);
    expect(conversation.turns).toBe(1);
    expect(traces).toMatchObject([{ traceId: traceIdOf(1), revision: 2, spans: 4, cause: 'idle' }]);
    const [trace] = traces;
    if (trace === undefined) throw new Error('the trace is not there');
    expect(Buffer.from((await reader.content(trace))?.traces ?? []).toString()).toBe('more');
    const again = { ...turn, at: 1200 };
    const { result } = await under.transact({ turns: [again], until: 1200 }, () => store.traces.find(traceIdOf(1)));
    expect(result).toMatchObject({ revision: 2, closedAt: 1100, spans: 4, sealed: true });
  });

  test(`${name}: what a suite in shadow says lies beside what the live one says, and is scanned apart`, async () => {
    const under = await opened();
    const { store } = under;
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    const basis = { definition: 'd1', conditions: { completed: true, failed: false } };
    const live: Evaluation = { ...evaluationOf({ conversation: 'c1' }), basis };
    const candidate: Evaluation = {
      ...evaluationOf({ conversation: 'c1', outcome: 'hard_failure' }),
      suiteVersion: '2',
      shadow: true,
      basis: { definition: 'd2', conditions: undefined },
    };
    const shadowKey = { suite: 'shadow:pack', turnId: undefined };
    const news: unknown[] = [];
    const { result } = await under.transact({ turns: [turn], until: 1000 }, () => {
      const { row } = joinTurn(store, turn);
      storeTurn(store, turn, row);
      const subAgents = encodeSubAgents(SUB_AGENTS);
      const seen = { ...SEEN, at: 990, steps: 7, costNanos: 1500, tokens: 80, userKey: 2 ** 48 - 1, kindKey: 3 };
      for (const evaluation of [live, candidate])
        store.evaluations.insert(
          evaluation,
          { conversation: row, trace: 0, labels: COUNTED, seen, subAgents },
          (written) =>
            news.push([
              written.shadow,
              store.evaluations.previous({ conversation: row, suite: 'pack', turnId: undefined })?.said().verdicts.size,
            ]),
        );
      return store.evaluations.previous({ conversation: row, ...shadowKey });
    });

    expect(result).toMatchObject({ suiteVersion: '2', outcome: 'hard_failure' });
    expect(news).toEqual([
      [undefined, 2],
      [true, 2],
    ]);
    const reader = await under.reader();
    const conversation = (await reader.find('c1')) ?? expect.unreachable();
    const { basis: _, ...stored } = live;
    const { basis: __, ...storedCandidate } = candidate;
    expect(await reader.evaluations(conversation, { revisions: 'all' })).toEqual([stored]);
    expect(await reader.evaluations(conversation, { revisions: 'last', of: 'shadow' })).toEqual([storedCandidate]);
    const all: Evaluation[] = [];
    for await (const evaluation of reader.allEvaluations()) all.push(evaluation);
    expect(all).toEqual([stored]);
    const listed = async (query: object) => (await reader.pages.search(searchFor({ limit: 10, ...query }))).rows.length;
    expect(await listed({ outcome: 'hard_failure' })).toBe(0);
    expect(await listed({ criterion: 'right' })).toBe(0);
    expect(await listed({ outcome: 'successful_completion', suite: 'pack' })).toBe(1);

    const withSubAgents = async (subAgents: readonly string[]) =>
      (await reader.pages.search({ subAgents, order: 'latest', limit: 10 })).rows.length;
    for (const { name } of SUB_AGENTS) expect([name, await withSubAgents([name])]).toEqual([name, 1]);
    expect(await withSubAgents(['nobody', 'billing'])).toBe(1);
    for (const name of ['bill', 'ing', '%', '3', 'x"],["y'])
      expect([name, await withSubAgents([name])]).toEqual([name, 0]);

    const scanned = async (query: ScanQuery) => {
      const found: ScannedEvaluation[] = [];
      for await (const page of reader.scanEvaluations(query)) found.push(...page);
      return found;
    };
    const [one = expect.unreachable(), ...others] = await scanned({ suiteKey: 'pack' });
    expect(others).toEqual([]);
    const kept = { at: 990, steps: 7, costNanos: 1500, userKey: 2 ** 48 - 1, kindKey: 3 };
    const said = { seen: kept, revision: 1, turnId: '' };
    expect(one).toMatchObject({ ...said, suiteVersion: '1', outcome: 'successful_completion', basis: 'd1 1 00 0:abc' });
    expect(decodeSubAgents(one.subAgents ?? '')).toEqual(SUB_AGENTS);
    expect(decodeBasis(one.basis ?? '')).toEqual({
      ...basis,
      verdicts: [
        { verdict: 'pass', judgeVersion: 'abc' },
        { verdict: 'pass', judgeVersion: undefined },
      ],
    });
    expect(JSON.parse(one.labels)).toEqual(COUNTED);
    expect(await scanned({ suiteKey: 'shadow:pack', since: 940, agent: 'helper', limit: 5 })).toMatchObject([
      { ...said, suiteVersion: '2', outcome: 'hard_failure', score: 400_000, basis: 'd2 - 01 0:abc' },
    ]);
    expect(await scanned({ suiteKey: 'pack', agent: "o'hara\\" })).toEqual([]);
    expect(await scanned({ suiteKey: 'pack', since: 951 })).toEqual([]);
    const scoredAt = one.seen.at ?? one.createdAt;
    expect(await scanned({ suiteKey: 'pack', scoredSince: scoredAt })).toEqual([one]);
    expect(await scanned({ suiteKey: 'pack', scoredSince: scoredAt + 1 })).toEqual([]);
    expect(await reader.besideOf(one, 'shadow:pack')).toMatchObject({ suiteVersion: '2' });
    expect(await reader.besideOf(one, 'shadow:other')).toBeUndefined();
    expect(await reader.verdictsOf(one)).toEqual(live.verdicts);
    expect(await reader.conversationOf(one)).toMatchObject({ conversationId: 'c1' });
    expect(await reader.answerOf('00'.repeat(32))).toBeUndefined();
  });

  test(`${name}: an evaluation that comes again is neither stored nor said to be new`, async () => {
    const under = await opened();
    const { store } = under;
    const news: number[] = [];
    const insert = (conversation: number, revision: number, outcome: Outcome = 'successful_completion') =>
      store.evaluations.insert(
        { ...evaluationOf({ conversation: 'c1', revision, outcome }), decidedShare: 750_000, ending: 'asked' },
        { conversation, trace: 0, labels: COUNTED, seen: SEEN },
        (written) => news.push(written.revision),
      );
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    await under.transact({ turns: [turn], until: 1000 }, () => {
      const { row } = joinTurn(store, turn);
      storeTurn(store, turn, row);
      insert(row, 1);
      insert(row, 1);
    });
    const second = { number: 2, conversation: 'c1', at: 1100 };
    const { result } = await under.transact({ turns: [second], until: 1100 }, () => {
      const { row } = joinTurn(store, second);
      storeTurn(store, second, row);
      insert(row, 1);
      insert(row, 2, 'hard_failure');
      const last = store.evaluations.previous({ conversation: row, suite: 'pack', turnId: undefined });
      return [
        { ...last, said: last?.said().verdicts.size },
        store.evaluations.previous({ conversation: row, suite: 'pack', turnId: 'other' as TurnId }),
      ];
    });

    expect(result).toEqual([
      {
        suiteVersion: '1',
        revision: 2,
        score: 400_000,
        outcome: 'hard_failure',
        decidedShare: 750_000,
        ending: 'asked',
        labels: COUNTED,
        seen: SEEN,
        said: 2,
      },
      undefined,
    ]);
    expect(news).toEqual([1, 2]);
    const reader = await under.reader();
    const conversation = await found(reader, 'c1');
    expect((await reader.evaluations(conversation, { revisions: 'all' })).map(({ revision }) => revision)).toEqual([
      1, 2,
    ]);
    expect((await reader.evaluations(conversation, { revisions: 'last' })).map(({ revision }) => revision)).toEqual([
      2,
    ]);
  });

  test(`${name}: a crash before the commit leaves nothing, and the same work can be done again`, async () => {
    const under = await opened();
    const turn = { number: 1, conversation: 'c1', at: 1000 };
    const hints = { turns: [turn], until: 1000 };

    await under.crash(hints, () => {
      scoreAtOnce(under.store, turn);
    });

    const reader = await under.reader();
    expect(await reader.find('c1')).toBeUndefined();
    expect(await reader.totals()).toEqual([]);
    expect(under.store.totals.all()).toEqual([]);
    const { totals } = await under.transact({ until: 1000 }, () => scoreAtOnce(under.store, turn));
    expect(totals.map(({ value }) => value)).toEqual([1]);
    expect((await (await under.reader()).totals()).map(({ value }) => value)).toEqual([1]);
    const again = await under.reader();
    const [trace] = await again.traces(await found(again, 'c1'));
    if (trace === undefined) throw new Error('the trace is not there');
    expect(Buffer.from((await again.content(trace))?.traces ?? []).toString()).toBe('spans 1');
  });

  test(`${name}: conversations come due in order of time, then of their age`, async () => {
    const under = await opened();
    const { store } = under;
    const [late, early] = [
      { number: 1, conversation: 'late', at: 1700 },
      { number: 2, conversation: 'early', at: 1000 },
    ];
    await under.transact({ turns: [early, late], until: 1700 }, () => {
      for (const turn of [early, late]) storeTurn(store, turn, joinTurn(store, turn).row);
    });
    const turns = [
      { number: 3, conversation: 'as early', at: 1700 },
      { number: 4, conversation: 'now', at: 1800 },
    ];
    const order: [string, string | undefined][] = [];
    await under.transact({ turns, until: 2000 }, () => {
      const [third, fourth] = turns;
      if (third === undefined || fourth === undefined) return;
      storeTurn(store, third, joinTurn(store, third).row);
      storeTurn(store, fourth, joinTurn(store, fourth, { dueNow: 'end_marker' }).row);
      for (const due of dueConversations(store.conversations, 2000)) {
        order.push([due.id, due.dueCause]);
        closeConversation(store.conversations, due.row, {
          revision: 1,
          cause: 'idle',
          turns: 1,
          unscoredBecause: undefined,
        });
      }
    });

    expect(order).toEqual([
      ['early', 'idle'],
      ['now', 'end_marker'],
      ['late', 'idle'],
      ['as early', 'idle'],
    ]);
  });

  test(`${name}: a conversation is due at its maximum age where that comes before it would be idle`, async () => {
    const under = await opened();
    const { store } = under;
    const times = [1000, 10_800, 20_000, 20_900];
    const joined: StoredConversation[] = [];
    for (const [index, at] of times.entries()) {
      const turn = { number: index + 1, conversation: 'c1', at };
      await under.transact({ turns: [turn], until: at }, () => {
        const dueNow = index === 3 ? ({ dueNow: 'end_marker' } as const) : {};
        joined.push(joinTurn(store, turn, dueNow));
        storeTurn(store, turn, joined.at(-1)?.row ?? 0);
      });
    }

    expect(joined).toMatchObject([
      { turns: 1, dueAt: 1300, dueCause: 'idle' },
      { turns: 2, firstClosedAt: 1000, dueAt: 11_000, dueCause: 'max_age' },
      { turns: 3, dueAt: 20_300, dueCause: 'idle' },
      { turns: 4, lastClosedAt: 20_900, dueAt: 20_900, dueCause: 'end_marker' },
    ]);
  });

  test(`${name}: totals continue over a restart, and what was not committed is not in them`, async () => {
    const under = await opened();
    const turnOf = (number: number) => ({ number, conversation: `c${number}`, at: number });
    const add = async (number: number, amount: number) =>
      under.transact({ turns: [turnOf(number)], until: number }, () => {
        storeTurn(under.store, turnOf(number), joinTurn(under.store, turnOf(number)).row);
        under.store.totals.series('a_total', { agent: 'x' }).add(amount);
        under.store.totals.series('b_total', {});
      });
    await add(1, 3);
    expect((await add(2, 4)).totals.map(({ metric, value }) => [metric, value])).toEqual([['a_total', 7]]);
    await under.crash({ turns: [turnOf(3)], until: 3 }, () => {
      under.store.totals.series('a_total', { agent: 'x' }).add(100);
    });

    await under.reopen();

    expect(under.store.totals.all().map(({ metric, labels, value }) => [metric, labels, value])).toEqual([
      ['a_total', { agent: 'x' }, 7],
      ['b_total', {}, 0],
    ]);
  });

  test(`${name}: of the times that were noted the smallest stays, over a restart too, and what was not committed is not in it`, async () => {
    const under = await opened();
    const turnOf = (number: number) => ({ number, conversation: `c${number}`, at: number });
    const note = (number: number, ...times: number[]) =>
      under.transact({ turns: [turnOf(number)], until: number }, () => {
        storeTurn(under.store, turnOf(number), joinTurn(under.store, turnOf(number)).row);
        for (const time of times) under.store.totals.earliest('first', { agent: 'x' }).note(time);
        under.store.totals.earliest('first', { agent: 'nobody' });
      });

    expect((await note(1, 500, 300, 400)).totals.map(({ value }) => value)).toEqual([300]);
    expect((await note(2, 350)).totals).toEqual([]);
    await under.crash({ turns: [turnOf(3)], until: 3 }, () => {
      under.store.totals.earliest('first', { agent: 'x' }).note(1);
    });
    await under.reopen();
    expect((await note(4, 310)).totals).toEqual([]);
    expect((await note(5, 200)).totals.map(({ value }) => value)).toEqual([200]);
    await under.reopen();

    expect(under.store.totals.all().map(({ metric, labels, value }) => [metric, labels, value])).toEqual([
      ['first', { agent: 'x' }, 200],
    ]);
  });

  test(`${name}: history adds up over transactions, and what was not committed is not in it`, async () => {
    const under = await opened();
    const labels = { agent: 'a\0b', agent_version: 'v1', environment: 'production' };
    const said = { suite: 'right', labels, outcome: 'hard_failure', score: 400_000, decidedShare: undefined } as const;
    const count = (at: number, sign: 1 | -1 = 1) => under.store.history.count({ ...said, at }, sign);
    const counting = (number: number, work: () => void) => {
      const turn = { number, conversation: `c${number}`, at: 1000 + number };
      return under.transact({ turns: [turn], until: turn.at }, () => {
        scoreAtOnce(under.store, turn);
        work();
      });
    };
    await counting(1, () => {
      count(HOUR_MS);
      count(HOUR_MS + 1);
      count(2 * HOUR_MS - 1);
    });
    await under.crash({ turns: [{ number: 2, conversation: 'c2', at: 1002 }], until: 1002 }, () => count(HOUR_MS));
    await under.reopen();
    await counting(2, () => count(HOUR_MS + 2));
    await counting(3, () => count(HOUR_MS + 1, -1));

    const reader = await under.reader();
    const wide = { suite: 'right', width: HOUR_MS, since: HOUR_MS, until: 2 * HOUR_MS };
    const place = { suite: 'right', agent: 'a\0b', agentVersion: 'v1', environment: 'production', segment: '' };
    const sums = { evaluations: 3, scored: 3, scores: 1_200_000, squares: 480_000, shared: 0, shares: 0 };
    expect(await reader.history(wide)).toEqual([
      { ...place, width: HOUR_MS, begins: HOUR_MS, outcome: 'hard_failure', ...sums },
    ]);
    const summed = (more: object) => reader.summedHistory({ ...wide, step: HOUR_MS, by: undefined, ...more });
    const whole = { begins: HOUR_MS, outcome: 'hard_failure', ...sums };
    expect(await summed({})).toEqual([{ ...whole, key: '' }]);
    expect(await summed({ width: 300_000, by: 'agent', agents: ['x', 'a\0b'], environments: ['production'] })).toEqual([
      { ...whole, key: 'a\0b' },
    ]);
    expect(await summed({ width: 300_000, step: 600_000 })).toMatchObject([
      { begins: HOUR_MS, evaluations: 2 },
      { begins: 2 * HOUR_MS - 600_000, evaluations: 1 },
    ]);
    expect(await summed({ agents: ['x'] })).toEqual([]);
    const ofAgent = { ...sums, suite: 'right', agent: 'a\0b', agentVersion: 'v1' };
    const windows = { suites: ['other', 'right'], width: 300_000, since: HOUR_MS, until: 2 * HOUR_MS };
    const fleet = (more: object) => reader.pages.fleetHistory({ ...windows, middle: HOUR_MS, ...more });
    expect(await fleet({})).toEqual([{ ...ofAgent, isLater: true, outcome: 'hard_failure' }]);
    expect(await fleet({ middle: 2 * HOUR_MS - 300_000, environments: ['production'] })).toMatchObject([
      { isLater: false, evaluations: 2 },
      { isLater: true, evaluations: 1 },
    ]);
    expect(await fleet({ environments: ['a\0b'] })).toEqual([]);
    expect(await fleet({ suites: [] })).toEqual([]);
    const narrow = await reader.history({ ...wide, width: 300_000 });
    expect(narrow.map(({ begins, evaluations }) => [begins, evaluations])).toEqual([
      [HOUR_MS, 2],
      [2 * HOUR_MS - 300_000, 1],
    ]);
    expect(await reader.history({ ...wide, suite: 'other' })).toEqual([]);
    expect(await reader.history({ ...wide, since: 2 * HOUR_MS, until: 3 * HOUR_MS })).toEqual([]);
  });

  test(`${name}: a conversation at a glance is that of its first and its last turn, in whatever order they come`, async () => {
    const under = await opened();
    const glances: readonly ConversationGlance[] = [
      { beganAtMs: 2_000, ceasedAtMs: 3_000, asked: 'second', answered: 'second answer' },
      { beganAtMs: 1_000, ceasedAtMs: 1_500, asked: 'first \0 "of all"', answered: 'first answer' },
      { beganAtMs: 4_000, ceasedAtMs: 4_500, asked: 'third' },
    ];
    for (const [index, glance] of glances.entries()) {
      const turn = { number: index + 1, at: 1000 + index, conversation: 'at a glance' };
      await under.transact({ turns: [turn], until: turn.at }, () => {
        storeTurn(under.store, turn, joinTurn(under.store, turn, { glance }).row);
      });
      await under.reopen();
    }

    const reader = await under.reader();
    const found = await reader.find('at a glance');
    expect(found?.glance).toEqual({
      beganAtMs: 1_000,
      ceasedAtMs: 4_500,
      asked: 'first \0 "of all"',
      answered: 'second answer',
    });
  });

  test(`${name}: the segment that a turn said first is the conversation's, and it is found by it`, async () => {
    const under = await opened();
    const said: [conversation: string, segment: string | undefined][] = [
      ['c1', undefined],
      ['c1', 'gold'],
      ['c1', undefined],
      ['c1', 'silver'],
      ['c2', undefined],
    ];
    for (const [index, [conversation, segment]] of said.entries()) {
      const turn = { number: index + 1, conversation, at: 1000 + index };
      await under.transact({ turns: [turn], until: turn.at }, () => {
        storeTurn(under.store, turn, joinTurn(under.store, turn, segment === undefined ? {} : { segment }).row);
      });
      await under.reopen();
    }

    const reader = await under.reader();
    const { rows } = await reader.pages.search(searchFor({ limit: 10 }));
    expect(rows.map(({ conversationId, segment }) => [conversationId, segment])).toEqual([
      ['c2', undefined],
      ['c1', 'gold'],
    ]);
    expect((await reader.pages.search(searchFor({ limit: 10, segment: 'gold' }))).rows).toHaveLength(1);
    expect((await reader.pages.search(searchFor({ limit: 10, segment: 'silver' }))).rows).toEqual([]);
  });

  test(`${name}: turns without an id are found by what they refer to, before and after they are stored`, async () => {
    const under = await opened();
    const { store } = under;
    const first = { number: 1, conversation: undefined, at: 1000, has: ['response:aaaaaaaaaaaaaaaa'] };
    await under.transact({ turns: [first], until: 1000 }, () => {
      const { row } = joinTurn(store, first);
      store.keys.add(row, { has: first.has, wants: [] });
      storeTurn(store, first, row);
    });
    const second = { number: 2, conversation: undefined, at: 1100, wants: ['response:aaaaaaaaaaaaaaaa'] };
    const { result } = await under.transact({ turns: [second], until: 1100 }, () => {
      const hasConversationKeys = store.keys.hasAny;
      const related = store.keys.find({ has: [], wants: second.wants });
      const unrelated = store.keys.find({ has: second.wants, wants: [] });
      const [to] = related;
      if (to === undefined) throw new Error('the first is not found');
      joinTurn(store, { ...second, conversation: to.id });
      storeTurn(store, second, to.row);
      return { hasConversationKeys, related: related.map(({ id }) => id), unrelated };
    });

    expect(result).toEqual({ hasConversationKeys: true, related: [`trace:${traceIdOf(1)}`], unrelated: [] });
    const reader = await under.reader();
    const conversation = await found(reader, `trace:${traceIdOf(1)}`);
    expect((await reader.traces(conversation)).map(({ traceId }) => traceId)).toEqual([traceIdOf(1), traceIdOf(2)]);
    expect(await reader.find(`trace:${traceIdOf(2)}`)).toBeUndefined();
  });

  test(`${name}: a conversation that is a part of another goes, with its turns, keys and evaluations`, async () => {
    const under = await opened();
    const { store } = under;
    const part = { number: 1, conversation: undefined, at: 1000, has: ['response:aaaaaaaaaaaaaaaa'] };
    const turnId = traceIdOf(1) as string as TurnId;
    await under.transact({ turns: [part], until: 1000 }, () => {
      const { row } = joinTurn(store, part);
      store.keys.add(row, { has: part.has, wants: [] });
      const trace = storeTurn(store, part, row);
      store.evaluations.insert(
        evaluationOf({ conversation: `trace:${traceIdOf(1)}`, turnId }),
        { conversation: row, trace, labels: COUNTED },
        () => {},
      );
    });
    const named = { number: 2, conversation: 'c1', at: 1100, wants: ['response:aaaaaaaaaaaaaaaa'] };
    await under.transact({ turns: [named], until: 1100 }, () => {
      const conversation = joinTurn(store, named);
      const [related] = store.keys.find({ has: [], wants: named.wants });
      if (related === undefined) throw new Error('the part is not found');
      absorbConversation(store, related.row, conversation.row);
      storeTurn(store, named, conversation.row);
      expect(store.conversations.at(conversation.row).turns).toBe(2);
      expect(store.traces.ofConversation(conversation.row).map(({ traceId }) => traceId)).toEqual([
        traceIdOf(1),
        traceIdOf(2),
      ]);
      expect(store.keys.find({ has: [], wants: named.wants })).toMatchObject([{ id: 'c1' }]);
      expect(store.evaluations.previous({ conversation: conversation.row, suite: 'pack', turnId })?.revision).toBe(1);
    });

    const reader = await under.reader();
    expect(await reader.find(`trace:${traceIdOf(1)}`)).toBeUndefined();
    const conversation = await found(reader, 'c1');
    expect(conversation.turns).toBe(2);
    expect((await reader.traces(conversation)).map(({ traceId }) => traceId)).toEqual([traceIdOf(1), traceIdOf(2)]);
    expect((await reader.evaluations(conversation, { revisions: 'all' })).map((one) => one.turnId)).toEqual([turnId]);
    // It returns as a new conversation if another turn names it.
    const back = { number: 1, conversation: undefined, at: 1200 };
    const { result } = await under.transact({ turns: [back], until: 1200 }, () => joinTurn(store, back));
    expect(result).toMatchObject({ turns: 1, firstClosedAt: 1200, revision: 0 });
  });

  test(`${name}: parts of turns that were postponed are given once, in order`, async () => {
    const under = await opened();
    const { store } = under;
    const turns = [
      { number: 1, conversation: 'c1', at: 1000 },
      { number: 2, conversation: 'c1', at: 1000 },
      { number: 3, conversation: 'c1', at: 1001 },
    ];
    const { result } = await under.transact({ turns, until: 1001 }, () => {
      for (const turn of turns) store.postponed.add(storeTurn(store, turn, joinTurn(store, turn).row), turn.at);
      const take = (logTime: number) => store.postponed.take(logTime).map(({ traceId }) => traceId);
      return [take(999), take(1000), take(1000), take(2000)];
    });

    expect(result).toEqual([[], [traceIdOf(1), traceIdOf(2)], [], [traceIdOf(3)]]);
  });

  test(`${name}: text of any kind is given back as it came`, async () => {
    const under = await opened();
    const { store } = under;
    const id = `x\0y \uE0A5 \u{1F600} "quoted" \\ {a,b} ${'long '.repeat(40)}`;
    const turn = { number: 1, conversation: id, at: 1000 };
    const labels = { ...COUNTED, agent: 'a\0b', segment: '\0 \uE0A5 "gold"' };
    await under.transact({ turns: [turn], until: 1000 }, () => {
      const { row } = joinConversation(store.conversations, {
        id: id as ConversationId,
        labels: { ...LABELS, agent: 'a\0b', segment: labels.segment },
        at: 1000,
        glance: { asked: '\0 \uE0A5', answered: '"' },
        turnsAdded: 1,
        dueNowBecause: 'end_marker',
        limits: { idleMs: 300, maxAgeMs: 10_000, maxTurns: 1000, openMaxMs: 900 },
      });
      storeTurn(store, turn, row);
      const explanation = 'It said \0 and \uE0A50.';
      store.evaluations.insert(
        evaluationOf({ conversation: id, explanation }),
        { conversation: row, trace: 0, labels },
        () => store.totals.series('a_total', labels).add(1),
      );
    });

    await under.reopen();
    const reader = await under.reader();
    const conversation = await found(reader, id);
    expect(conversation).toMatchObject({ conversationId: id, agent: 'a\0b', segment: labels.segment });
    const [evaluation] = await reader.evaluations(conversation, { revisions: 'all' });
    expect(evaluation).toMatchObject({ conversationId: id, explanation: 'It said \0 and \uE0A50.' });
    expect(under.store.totals.all()).toMatchObject([{ labels, value: 1 }]);
  });

  test(`${name}: pages go back in time, each from where the last ended`, async () => {
    const under = await opened();
    const turns = Array.from({ length: 7 }, (_, index) => ({
      number: index + 1,
      conversation: `c${index + 1}`,
      at: 1000 + index,
    }));
    for (const turn of turns) {
      await under.transact({ turns: [turn], until: turn.at }, () => scoreAtOnce(under.store, turn));
    }

    const reader = await under.reader();
    const pages: string[][] = [];
    for (let cursor: SearchCursor | undefined, more = true; more; ) {
      const page = await reader.pages.search(searchFor({ limit: 3, cursor }));
      pages.push(page.rows.map(({ conversationId }) => conversationId));
      cursor = page.next;
      more = cursor !== undefined;
    }

    expect(pages.flat()).toEqual(['c7', 'c6', 'c5', 'c4', 'c3', 'c2', 'c1']);
  });

  function queue(under: StoreUnderTest, ...observations: readonly (readonly [at: number, evaluation: string])[]): void {
    for (const [at, evaluation] of observations) {
      under.store.detection.add({ at, evaluation, payload: `{"of":"${evaluation}"}` });
    }
  }

  async function roundOf(under: StoreUnderTest, limit: number, write?: string): Promise<DetectionRound> {
    let seen: DetectionRound | undefined;
    await under.detection.round(limit, (round) => {
      seen = round;
      return write === undefined ? undefined : Buffer.from(write);
    });
    if (seen === undefined) throw new Error('the store never called');
    return seen;
  }

  const idsOf = ({ observations }: DetectionRound) => observations.map(({ evaluation }) => evaluation);
  const TURN = { number: 1, conversation: 'c1', at: 1000 };

  test(`${name}: observations are taken by time, then by id, each once and as many as asked for`, async () => {
    const under = await opened();
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      scoreAtOnce(under.store, TURN);
      queue(under, [2000, 'd'], [1000, 'c'], [2000, 'a'], [1000, 'b']);
    });

    const first = await roundOf(under, 3, 'one');
    const second = await roundOf(under, 3, 'two');
    const third = await roundOf(under, 3);

    expect(first).toEqual({
      state: { version: 0, snapshot: undefined },
      observations: [
        { at: 1000, evaluation: 'b', payload: '{"of":"b"}' },
        { at: 1000, evaluation: 'c', payload: '{"of":"c"}' },
        { at: 2000, evaluation: 'a', payload: '{"of":"a"}' },
      ],
    });
    expect([second.state.version, idsOf(second)]).toEqual([1, ['d']]);
    expect([third.state.version, idsOf(third)]).toEqual([2, []]);
    expect(Buffer.from(third.state.snapshot ?? []).toString()).toBe('two');
  });

  test(`${name}: an observation of a transaction that is undone was never there`, async () => {
    const under = await opened();
    await under.crash({ turns: [TURN], until: 1000 }, () => {
      scoreAtOnce(under.store, TURN);
      queue(under, [1000, 'undone']);
    });

    expect(idsOf(await roundOf(under, 10))).toEqual([]);
  });

  test(`${name}: a round that fails leaves what it took and the state as they were`, async () => {
    const under = await opened();
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      scoreAtOnce(under.store, TURN);
      queue(under, [1000, 'a'], [1001, 'b']);
    });
    await roundOf(under, 1, 'before');
    const failing = async () =>
      under.detection.round(10, () => {
        throw new Error('nobody home');
      });

    await expect(failing()).rejects.toThrow('nobody home');
    await under.reopen();
    const after = await roundOf(under, 10);

    expect(idsOf(after)).toEqual(['b']);
    expect(after.state.version).toBe(1);
    expect(Buffer.from(after.state.snapshot ?? []).toString()).toBe('before');
  });

  test(`${name}: a round that has nothing to write leaves the version as it is`, async () => {
    const under = await opened();
    await roundOf(under, 10, 'before');

    await roundOf(under, 10);

    expect((await roundOf(under, 10)).state.version).toBe(1);
  });

  const ALL = { limit: 10, keep: 1000 };

  async function withResults(...payloads: readonly string[]): Promise<StoreUnderTest> {
    const under = await opened();
    await under.transact({ turns: [TURN], until: 1000 }, () => {
      scoreAtOnce(under.store, TURN);
      for (const payload of payloads) under.store.results.add(payload);
    });
    return under;
  }

  test(`${name}: results wait, oldest first, until they are forgotten`, async () => {
    const under = await withResults('a', 'b\u0000 "c"', 'd');

    const first = await under.results.take({ limit: 2, keep: 1000 });
    const again = await under.results.take({ limit: 2, keep: 1000 });
    await under.results.forget(first.results.map(({ id }) => id));
    await under.reopen();
    const rest = await under.results.take(ALL);

    expect(first.results.map(({ payload }) => payload)).toEqual(['a', 'b\u0000 "c"']);
    expect(again).toEqual(first);
    expect(rest).toMatchObject({ results: [{ payload: 'd' }], dropped: 0 });
  });

  test(`${name}: of results that nobody takes the newest are kept, and the others are counted`, async () => {
    const under = await withResults('a', 'b', 'c', 'd', 'e');

    const taken = await under.results.take({ limit: 10, keep: 2 });
    const after = await under.results.take({ limit: 10, keep: 2 });

    expect(taken.results.map(({ payload }) => payload)).toEqual(['d', 'e']);
    expect([taken.dropped, after.dropped]).toEqual([3, 0]);
  });

  test(`${name}: what is forgotten does not take with it what comes later`, async () => {
    const under = await withResults('a');
    const first = await under.results.take(ALL);
    const ids = first.results.map(({ id }) => id);
    await under.results.forget(ids);
    const later = { number: 2, conversation: 'c2', at: 2000 };
    await under.transact({ turns: [later], until: 2000 }, () => {
      scoreAtOnce(under.store, later);
      under.store.results.add('b');
    });

    await under.results.forget(ids);

    expect((await under.results.take(ALL)).results).toMatchObject([{ payload: 'b' }]);
  });
}
