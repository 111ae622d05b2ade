/**
 * npm run bench -- page [--conversations 1000000] [--json]
 *
 * The price of the page with many conversations, beside the same with a thousand in the same run: a real service each, and
 * real HTTP. The thousand are those of a day, so that every view has something to show; the many are those of a month.
 * First the processor time of the service for each call that a view makes. Then the time until a view of an empty browser
 * is in sight, and Chromium's processor time, unless it runs small: continuous integration has no browser everywhere.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { stringify } from 'yaml';
import { type AssayProcess, freeListenPorts, startAssay } from '../test/simulation/process.ts';
import { fillStore, KNOWN, LIVE_SUITE, RARE_WORD } from './filled-store.ts';
import type { BenchRow } from './row.ts';

const SMALL = 1_000;
const DAY_MS = 86_400_000;
const CHROMIUM = [process.env.ASSAY_TEST_CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'];
const OPENINGS = 5;

interface View {
  readonly view: string;
  /** The calls that it makes by itself. */
  readonly calls: (conversation: string) => readonly string[];
}

const LIST = '/api/v1/conversations';
const VIEWS: readonly View[] = [
  {
    view: 'overview',
    calls: () => [
      '/api/v1/facets',
      `/api/v1/trend?suite=${LIVE_SUITE}&since=24h`,
      `/api/v1/moved?suite=${LIVE_SUITE}&since=24h`,
      '/api/v1/detections',
    ],
  },
  { view: 'conversations', calls: () => [LIST] },
  { view: 'conversations, failed first', calls: () => [`${LIST}?order=worst`] },
  { view: 'a conversation', calls: (one) => [`${LIST}/${one}`] },
  {
    view: 'review',
    calls: () => [
      `/api/v1/review/queue?suite=${LIVE_SUITE}&criterion=criterion_0&by=ana&limit=50`,
      `/api/v1/review/agreement?suite=${LIVE_SUITE}&criterion=criterion_0`,
    ],
  },
  { view: 'suites', calls: () => ['/api/v1/suites'] },
];
/** Filters of the list. */
const FILTERS = [
  'outcome=hard_failure&outcome=partial_failure&outcome=graceful_failure',
  'outcome=hard_failure',
  'criterion=criterion_0',
  'criterion=nothing',
  'suite=support',
  'agent=agent-3',
  'agent_version=v3',
  'environment=production',
  'since=1h',
  'words=thursday',
  `words=${RARE_WORD}`,
  'state=open&state=waiting',
  'labelled=true',
  'agent=rare',
  'state=unscored',
  'decided_below=0.5',
];

interface PageOptions {
  readonly conversations: number;
  /** Each call is repeated for as long. */
  readonly callMs: number;
  readonly opensBrowser: boolean;
}

interface Measured {
  readonly millis: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
}

export async function benchPage(options: PageOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const { conversations } = options;
  const small = await measured({ ...options, conversations: Math.min(SMALL, conversations), agesMs: DAY_MS });
  const large = await measured({ ...options, agesMs: 30 * DAY_MS });
  return {
    rows: [...large.millis].map(([name, ours]) => {
      const reference = small.millis.get(name) ?? Number.NaN;
      return { name: `page: ${name}`, ours, reference, ratio: Math.round((ours / reference) * 100) / 100 };
    }),
    notes: [`${conversations} conversations of a month, the reference has ${SMALL} of a day`, ...large.notes],
  };
}

async function measured({
  conversations,
  agesMs,
  callMs,
  opensBrowser,
}: PageOptions & { readonly agesMs: number }): Promise<Measured> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-bench-page-'));
  try {
    const began = performance.now();
    fillStore(path.join(dataDir, 'assay.db'), conversations, { agesMs, onCommit: progressOf(conversations) });
    const notes = [`filled in ${Math.round((performance.now() - began) / 1000)} s by the store's own writer`];
    const suite = path.join(dataDir, 'support.yaml');
    writeFileSync(suite, stringify(SUITE));
    const config = path.join(dataDir, 'assay.yaml');
    writeFileSync(config, stringify({ suites: [suite] }));
    const assay = await startAssay({ dataDir, ports: await freeListenPorts(), arguments: ['--config', config] });
    try {
      const millis = await callsOf(assay, KNOWN(conversations >> 1), callMs);
      if (opensBrowser) await browse(assay.http, KNOWN(conversations >> 1), millis);
      return { millis, notes };
    } finally {
      await assay.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** As the filled store has it. */
const SUITE = {
  suite: LIVE_SUITE,
  version: '1',
  description: 'What a bench asks.',
  scope: 'conversation',
  criteria: Array.from({ length: 8 }, (_, at) => ({
    name: `criterion_${at}`,
    question: 'Is it right?',
    weight: 0.125,
    check: 'size(turns) > 0',
  })),
};

async function callsOf(assay: AssayProcess, conversation: string, callMs: number): Promise<Map<string, number>> {
  const millis = new Map<string, number>();
  for (const { view, calls } of VIEWS) {
    let all = 0;
    for (const call of calls(conversation)) all += await cpuMillisOf(assay, call, callMs);
    millis.set(`${view}: calls of the view (CPU ms)`, rounded(all));
  }
  for (const filter of FILTERS)
    millis.set(`list, ${filter} (CPU ms)`, rounded(await cpuMillisOf(assay, `${LIST}?${filter}`, callMs)));
  return millis;
}

/** Mean processor time of the whole service, less what it takes when nobody asks. */
async function cpuMillisOf({ http, pid }: AssayProcess, call: string, callMs: number): Promise<number> {
  const ask = async () => {
    const response = await fetch(`${http}${call}`);
    if (!response.ok) throw new Error(`${call} was answered with ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  for (let warmed = 0; warmed < 3; warmed += 1) await ask();
  const before = processorMs(pid);
  const began = performance.now();
  let calls = 0;
  while (performance.now() - began < callMs) {
    await ask();
    calls += 1;
  }
  return (processorMs(pid) - before) / calls;
}

/** All threads together, by the scheduler's clock of nanoseconds: Linux only. */
function processorMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      // The thread has ended.
      return sum;
    }
  }, 0);
}

async function browse(http: string, conversation: string, millis: Map<string, number>): Promise<void> {
  const executablePath = CHROMIUM.find((file) => file !== '' && existsSync(file));
  if (executablePath === undefined) throw new Error('there is no Chromium: ASSAY_TEST_CHROMIUM names it');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const [name, address, shown] of [
      ['first list', '/conversations', '.row'],
      ['overview', `/?suite=${LIVE_SUITE}`, '.headline'],
      ['failed ones first', '/conversations?order=worst', '.row'],
      ['list filtered by a word', '/conversations?words=thursday', '.row'],
      ['a conversation', `/conversations/${conversation}`, '.verdicts'],
    ] as const) {
      const times: number[] = [];
      const elapsed: number[] = [];
      for (let opening = 0; opening < OPENINGS; opening += 1) {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
        const page = await context.newPage();
        const devtools = await context.newCDPSession(page);
        await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
        const began = performance.now();
        await page.goto(`${http}${address}`);
        await page.locator(shown).first().waitFor();
        elapsed.push(performance.now() - began);
        const { metrics } = await devtools.send('Performance.getMetrics');
        times.push((metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN) * 1000);
        await context.close();
      }
      millis.set(`${name} in Chromium, of the page's main thread (CPU ms)`, rounded(medianOf(times)));
      millis.set(`${name} in Chromium, from nothing to in sight (ms)`, rounded(medianOf(elapsed)));
    }
  } finally {
    await browser.close();
  }
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

function progressOf(conversations: number): (done: number) => void {
  return (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${conversations} conversations are stored`);
  };
}

function rounded(millis: number): number {
  return Math.round(millis * 100) / 100;
}
