/** Questions about other weights on the shared store: to the last digit what a backtest says of it, and what SQLite says. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { backtest } from '../../../src/backtest/backtest.ts';
import { outlineOf } from '../../../src/engine/suite-outline.ts';
import { whatIf, whatIfQuestion } from '../../../src/api/what-if.ts';
import type { HistoryWanted } from '../../../src/model/history-learning.ts';
import { backtestJson } from '../../../src/report/documents/backtest-json.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import type { StorePlace } from '../../../src/serve/store-place/open-reader.ts';
import { Reweighing } from '../../../src/serve/what-if/reweighing.ts';
import { copyStore } from '../../../src/store/copy-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { CONVERSATIONS, record, removeDirectories } from '../../backtest/recorded.ts';
import { BUILTIN, defaultSettings } from '../../engine/log-driver.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { freshDatabase } from './shared-postgres.ts';

const SUITE = `suite: calls
version: "1"
scope: conversation
min_decided: 0.2
criteria:
  - { name: few, question: Few calls?, weight: 0.5, check: size(tool_calls) < 6 }
  - { name: clean, question: No errors?, weight: 0.3, check: "!steps.exists(s, s.error != null)" }
  - { name: known, question: As known?, weight: 0.2, check: truth.known == true }
`;
const STATEMENT_MS = 10_000;

afterAll(removeDirectories);

test('the shared store answers as a backtest of it, and as SQLite with the same conversations', async () => {
  const baseDir = tempDirectory();
  const fileOf = (name: string, text: string) => {
    writeFileSync(path.join(baseDir, name), text);
    return name;
  };
  const load = async (name: string) => {
    const [suite] = (await loadSuites([name], { baseDir, builtinDir: BUILTIN })).suites;
    if (suite === undefined) throw new Error(`${name} has mistakes`);
    return suite;
  };
  const live = await load(fileOf('calls.yaml', SUITE));
  const { directory, reader: sqlite } = record([live]);
  sqlite.close();
  const file = path.join(directory, 'store.db');
  const url = await freshDatabase();
  await copyStore({ from: file, to: { url }, as: 'copied', intoExisting: false, onProgress: () => {} });
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());

  const suites = [outlineOf(live)];
  const reweighingAt = (store: StorePlace) => {
    const reweighing = new Reweighing({
      start: () => ({
        store,
        suites: { references: ['calls.yaml'], baseDir, judges: [], handOverTools: [], exporters: [], tools: undefined },
        judging: undefined,
        truth: [],
        idKeys: [],
        segment: [],
        gapMs: 86_400_000,
      }),
      suites: () => suites,
      onEvent: () => undefined,
    });
    onTestFinished(() => reweighing.stop());
    return reweighing;
  };
  const askAt = async (store: StorePlace, question: object) => {
    const { status, body } = await reweighingAt(store).answer({
      question: { is: 'what-if', question: whatIfQuestion.parse({ suite: 'calls', ...question }) },
      from: 'a',
      signal: new AbortController().signal,
    });
    expect([status, status === 200 ? '' : String(body)]).toEqual([200, '']);
    return whatIf.parse(JSON.parse(Buffer.from(body).toString()));
  };

  /** Observations for detection to learn from. */
  const learnAt = async (store: StorePlace) => {
    const reweighing = reweighingAt(store);
    const observed: unknown[] = [];
    const running = { suite: 'calls', version: live.version, judgedBy: '', key: 'key' };
    const until = Number.MAX_SAFE_INTEGER;
    const begun = { since: 0, until, after: 0, done: 0, of: 0, stage: 'counting', isSampled: false } as const;
    const wanted: HistoryWanted = { ...running, ...begun };
    for (let after = 0; ; ) {
      const read = await reweighing.learn({ ...wanted, after }, new AbortController().signal);
      if (read.is !== 'part') throw new Error(JSON.stringify(read));
      observed.push(...read.part.observed);
      after = read.part.cursor;
      if (read.part.end !== undefined) return { observed, end: read.part.end, of: read.part.of };
    }
  };
  const postgres = { kind: 'postgres', address: { url }, statementMs: STATEMENT_MS } as const;
  const learned = await learnAt(postgres);
  expect(learned.observed).toHaveLength(CONVERSATIONS);
  expect(learned).toEqual(await learnAt({ kind: 'sqlite', file }));

  for (const question of [{ weights: { few: 0.123456 } }, { off: ['clean'], limit: 30 }, { agent_version: 'v2' }]) {
    const answer = await askAt(postgres, question);
    const folder = tempDirectory();
    writeFileSync(path.join(folder, 'calls.yaml'), SUITE);
    if (answer.yaml !== '') execFileSync('git', ['apply', '-'], { cwd: folder, input: answer.yaml });
    const [changed] = (await loadSuites(['calls.yaml'], { baseDir: folder, builtinDir: BUILTIN })).suites;
    if (changed === undefined) throw new Error('the diff gave mistakes');
    const { limit, agent_version: agentVersion } = whatIfQuestion.parse({ suite: 'calls', ...question });
    const settings = defaultSettings();
    const report = backtestJson(
      await backtest({
        changed,
        against: 'calls',
        configured: [live],
        reader,
        settings,
        limit,
        agentVersion,
        shown: 20,
      }),
    );

    expect(answer.compared).toBe(report.counted.weighed_again);
    expect(answer.compared).toBeGreaterThan(0);
    expect(answer.changed).toBe(report.changed);
    for (const side of ['before', 'after'] as const)
      expect([answer[side].tcr?.value, answer[side].tcr?.n, answer[side].outcomes]).toEqual([
        report[side].tcr,
        report[side].scored,
        report[side].outcomes,
      ]);
    expect(answer.criteria.map(({ criterion, points }) => [criterion, points])).toEqual(
      report.criteria.map(({ criterion, points }) => [criterion, points]),
    );
    expect(answer.moved.map(({ conversation_id, before, after }) => ({ conversation_id, before, after }))).toEqual(
      report.conversations.map(({ conversation_id, before, after }) => ({ conversation_id, before, after })),
    );
    const { moved: _, ...onSqlite } = await askAt({ kind: 'sqlite', file }, question);
    expect(answer).toMatchObject({ ...onSqlite, criteria: expect.anything() });
  }
});
