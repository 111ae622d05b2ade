/**
 * npm run bench -- read [--conversations 1000000] [--json]
 *
 * CPU of one call of each read of the API with a large store, beside the same with a small one in the same run. Calls go
 * to the handlers of the reading thread as a request would, without HTTP. Also the work that recurs: how alike criteria
 * are, and a round of retention that finds nothing to do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SuiteOutline } from '../src/engine/suite-outline.ts';
import { suiteKey } from '../src/model/suite-key.ts';
import { conversationApi } from '../src/serve/api/conversation-api.ts';
import { STORE_READS } from '../src/serve/api/store-reads.ts';
import { evidenceOf } from '../src/serve/api/detection-evidence.ts';
import { storedTraits } from '../src/serve/store-place/stored-traits.ts';
import { prune } from '../src/store/sqlite/retention.ts';
import { Store } from '../src/store/sqlite/store.ts';
import { StoreReader } from '../src/store/sqlite/store-reader.ts';
import { reading } from '../test/report/regressions.ts';
import { fillStore, KNOWN, LIVE_SUITE } from './filled-store.ts';
import type { BenchRow } from './row.ts';

const SMALL = 1_000;
const WARMED = 3;

/** Each is a page of 50 where it is a list. */
const QUERIES: readonly (readonly [route: string, query: string])[] = [
  ['/api/conversations', ''],
  ['/api/conversations', 'since=24h'],
  ['/api/conversations', 'agent=agent-3'],
  ['/api/conversations', 'agent=rare'],
  ['/api/conversations', 'agent=nobody'],
  ['/api/conversations', 'outcome=partial_failure'],
  ['/api/conversations', 'outcome=hard_failure'],
  ['/api/conversations', `suite=${LIVE_SUITE}`],
  ['/api/conversations', 'suite=nothing'],
  ['/api/conversations', 'criterion=criterion_0'],
  ['/api/conversations', 'criterion=nothing'],
  ['/api/conversations', 'agent=agent-3&outcome=partial_failure&criterion=criterion_0&since=24h'],
  ['/api/conversations', 'before=1900000000000.500'],
  ['/api/conversations/{conversation...}', ''],
  ['/api/conversations/{conversation...}', 'revisions=all'],
  ['/api/v1/spans/{conversation...}', ''],
  ['/api/v1/shadow', 'limit=50'],
  ['/api/v1/shadow', 'limit=50&since=24h'],
  ['/api/v1/shadow', 'limit=50&agent=rare'],
  ['/api/v1/conversations', ''],
  ['/api/v1/conversations', 'order=worst'],
  ['/api/v1/conversations', 'agent=agent-3&outcome=partial_failure&criterion=criterion_0&since=24h&order=worst'],
  ['/api/v1/conversations', 'agent=nobody'],
  ['/api/v1/conversations', 'state=waiting&state=unscored'],
  ['/api/v1/conversations', 'labelled=true&words=nothing'],
  ['/api/v1/conversations/{conversation...}', ''],
  ['/api/v1/facets', ''],
  ['/api/v1/suites', ''],
  ['/api/v1/trend', 'since=30d&by=agent_version'],
  ['/api/v1/moved', ''],
  ['/api/v1/moved', 'since=7d'],
];

interface ReadBenchOptions {
  readonly conversations: number;
  /** For the calls of one query. */
  readonly measuredMs: number;
}

export async function benchRead({ conversations, measuredMs }: ReadBenchOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const small = await measured(Math.min(SMALL, conversations), measuredMs);
  const large = await measured(conversations, measuredMs);
  const rows = [...large.millis].map(([name, ours]) => {
    const reference = small.millis.get(name) ?? Number.NaN;
    return { name: `read: ${name} (CPU ms)`, ours, reference, ratio: Math.round((ours / reference) * 100) / 100 };
  });
  return {
    rows,
    notes: [
      `${conversations} conversations, the reference has ${Math.min(SMALL, conversations)}; means of the calls of ${measuredMs} ms`,
      `filled in ${Math.round(large.filledSeconds)} s by the store's own writer; slowest call ${Math.max(...rows.map(({ ours }) => ours))} ms`,
    ],
  };
}

async function measured(
  conversations: number,
  measuredMs: number,
): Promise<{ readonly millis: ReadonlyMap<string, number>; readonly filledSeconds: number }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-read-'));
  const file = path.join(directory, 'assay.db');
  try {
    const began = performance.now();
    fillStore(file, conversations);
    const filledSeconds = (performance.now() - began) / 1000;
    const reader = StoreReader.open(file);
    const millis = new Map<string, number>();
    for (const [name, call] of callsOn(reader, conversations)) millis.set(name, await cpuMillis(call, measuredMs));
    reader.close();
    const store = Store.open(file, { durable: false });
    const retention = { reopenMs: 0, maxBytes: 2 ** 40, keepMs: 31 * 86_400_000, keepFailedMs: 90 * 86_400_000 };
    const round = () => {
      store.begin();
      prune(store, retention);
      store.commit();
    };
    millis.set('a round of retention with nothing to do', await cpuMillis(round, measuredMs));
    store.close();
    return { millis, filledSeconds };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function callsOn(reader: StoreReader, conversations: number): readonly (readonly [string, () => unknown])[] {
  const suites = [outline({ shadow: false }), outline({ shadow: true })];
  const api = conversationApi(reader);
  const side = {
    reader,
    conversations: api,
    suites: () => suites,
    detection: async () => ({}),
    onDamage: () => undefined,
    detectionState: () => ({ isActive: false, report: undefined }),
    prices: [],
  };
  const asked = QUERIES.map(([route, text]): readonly [string, () => unknown] => {
    const row = STORE_READS.find((one) => one.path === route);
    if (row === undefined) throw new Error(`no read of the store is at ${route}`);
    const parameters = new Map([['conversation', KNOWN(conversations >> 1)]]);
    const call = async () => {
      const { status, body } = await row.handle(side, { query: new URLSearchParams(text), parameters });
      if (status !== 200) throw new Error(`${route}?${text} was answered with ${status}: ${String(body)}`);
    };
    return [`${route}${text === '' ? '' : `?${text}`}`, call];
  });
  const level = { kind: 'level', reading: reading({ suite: LIVE_SUITE, agent: 'agent-3' }) } as const;
  return [...asked, ['evidence for a regression', () => evidenceOf(level, api, storedTraits(reader))]];
}

function outline({ shadow }: { readonly shadow: boolean }): SuiteOutline {
  const criteria = Array.from({ length: 8 }, (_, at) => ({
    name: `criterion_${at}`,
    question: 'Is it right?',
    about: 'task' as const,
    isJudged: false,
    needs: [],
    weight: 125_000,
    whenNotApplicable: 'exclude' as const,
    capsAt: undefined,
  }));
  return {
    name: suiteKey(shadow ? { suite: LIVE_SUITE, shadow } : { suite: LIVE_SUITE }),
    version: '1',
    description: '',
    scope: 'conversation',
    about: 'task',
    criteria,
    totalWeight: 1_000_000,
    readsTaskTruth: false,
    truthKeys: new Set<string>(),
    goldenTraces: 0,
    minDecided: 500_000,
    hardFailureScores: 'zero',
    whenBroken: 'hard_failure',
  };
}

/** Mean of the calling thread, over so many calls that the clock of the system is fine enough. The first calls warm up. */
async function cpuMillis(call: () => unknown, measuredMs: number): Promise<number> {
  for (let warmed = 0; warmed < WARMED; warmed += 1) await call();
  const before = process.threadCpuUsage();
  const began = performance.now();
  let calls = 0;
  while (performance.now() - began < measuredMs) {
    await call();
    calls += 1;
  }
  const { user, system } = process.threadCpuUsage(before);
  return Math.round((user + system) / 10 / calls) / 100;
}
