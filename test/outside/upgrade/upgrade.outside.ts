/**
 * An upgrade from the last release, and the way back, on both stores with data. The last release leaves conversations
 * that are scored, one whose turn is open, evaluations that wait for a judge, truth and feedback for conversations that
 * have not come yet, labels, and what detection has learned so far. This version goes on with all of it; and so does
 * the last release again, once the store was taken back.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { version } from '../../../src/cli/version.ts';
import { type Provider, startProvider, YES } from '../../ask/provider.ts';
import { assay } from '../../assay-command.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../../simulation/process.ts';
import { parseMetrics } from '../../simulation/scraped-totals.ts';
import { exportRequest, type TrafficConversation, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { shareOf } from '../share-of-round.ts';
import { clusterServices, sendSpans } from '../cluster/instance.ts';
import { type LastRelease, lastRelease } from './last-release.ts';

const SUITE = `suite: kindness
scope: conversation
min_decided: 0
criteria:
  - { name: kind, question: Was it kind?, weight: 0.4, judge: {} }
  - { name: known, question: Is it what was expected?, weight: 0.3, needs: [truth], check: truth.turns == size(turns) }
  - { name: liked, question: Did the user like it?, weight: 0.3, needs: [feedback], check: feedback.polarity == "positive" }
`;
const TIMES = {
  ASSAY_TURN_SETTLE: '300ms',
  // A start on a busy machine takes seconds, and must not be taken for the end of a turn.
  ASSAY_TURN_IDLE: '60s',
  ASSAY_CONVERSATION_IDLE: '1s',
  ASSAY_KAFKA_CLOCK_MARGIN: '1s',
  PLAYED_KEY: 'sk-played',
};
/** Counters that continue over restarts, because the store has them. */
const CONTINUED =
  /^assay_(?:evaluation|verdicts|criteria|conversation_|feedback_(?!received))\w*_(?:total|bucket|count|sum)\b/;
const SCORED = 30;
const BUSY = { status: 429, headers: { 'retry-after': '1' } };

const services = clusterServices();
let release: LastRelease;
beforeAll(async () => {
  release = await lastRelease();
}, 300_000);

interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of commands for the store. */
  readonly arguments: readonly string[];
}

const PLACES = {
  'one machine': async (): Promise<Place> => {
    const dataDir = path.join(tempDirectory(), 'data');
    return { env: { ASSAY_DATA_DIR: dataDir }, arguments: ['--data-dir', dataDir] };
  },
  'an instance over Kafka and PostgreSQL': async (): Promise<Place> => {
    const { kafka, postgres } = services();
    const store = await postgres.createDatabase();
    const topic = `upgrade-${new URL(store).pathname.slice(1)}`;
    await kafka.createTopic(topic, 2);
    const env = {
      ASSAY_DATA_DIR: tempDirectory(),
      ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
      ASSAY_KAFKA_SPANS: topic,
      ASSAY_KAFKA_GROUP: topic,
      ASSAY_KAFKA_SESSION_TIMEOUT: '6s',
      ASSAY_STORE_URL: store,
      ASSAY_INSTANCE: 'one',
    };
    return { env, arguments: [] };
  },
};

const UPGRADES = [
  ['one machine', 'stop'],
  ['one machine', 'kill'],
  ['an instance over Kafka and PostgreSQL', 'kill'],
  ['an instance over Kafka and PostgreSQL', 'stop'],
] as const;

test.each(shareOf(UPGRADES, 2))(
  'on %s, this version goes on after a %s of the last release, and the last release after a way back',
  async (where, end) => {
    const place = await PLACES[where]();
    const folder = tempDirectory();
    let isAnswering = false;
    const provider = await startProvider(() => (isAnswering ? { say: YES, usage: [100, 10] } : BUSY));
    const start = (program: string | undefined) => begin(place, { folder, provider, program });
    const all = [...traffic({ seed: 17, conversations: SCORED + 6, endMarks: 'all' })];
    const [scored, late] = [all.slice(0, SCORED), all.slice(SCORED)];
    const [open, first, second, third] = late;
    if (open === undefined || first === undefined || second === undefined || third === undefined) throw new Error();
    const known = [...scored, open, first];

    // The last release, whose judge is too busy to answer.
    const old = await start(release.program);
    expect(await versionOf(old)).toBe(release.version);
    for (const conversation of scored) await sendAll(old, conversation);
    await untilEvaluated(old, scored.length);
    for (const { id } of [first, second]) {
      await write(old, 'PUT', `/v1/truth/${id}`, { turns: id === first.id ? first.turns.length : 0 });
      await write(old, 'POST', '/api/v1/feedback', { conversation_id: id, id: 'click', label: 'good' });
    }
    const labelled = scored[0]?.id ?? '';
    await write(old, 'PUT', `/v1/labels/${labelled}`, {
      suite: 'kindness',
      criterion: 'kind',
      label: 'fail',
      by: 'ana',
    });
    await sendOpen(old, open, 'beginning');
    const learned = await untilObserved(old, evaluationsOf(scored, { judged: false }));
    const before = await stateOf(old, scored);
    expect(before.waiting).toBe(scored.length);
    await old[end]();

    // This version says what it would do, and goes on.
    const checked = assay(['store', 'check', '--json', ...place.arguments], { env: place.env });
    expect(JSON.parse(checked.stdout).upgrade, checked.stderr).toMatchObject({ refused: null, throws_away: [] });
    const upgraded = await start(undefined);
    expect(await versionOf(upgraded)).toBe(version);
    // A newer version may say more.
    expect(await stateOf(upgraded, scored)).toMatchObject(before);
    expect(await untilObserved(upgraded, evaluationsOf(scored, { judged: false }))).toEqual(learned);
    expect(upgraded.log.filter((line) => line.includes('starting from scratch'))).toEqual([]);
    await sendOpen(upgraded, open, 'end');
    await sendAll(upgraded, first);
    await untilEvaluated(upgraded, scored.length + 2);
    expect(await conversationOf(upgraded, open.id)).toMatchObject({ conversation: { turns: 1, cause: 'end_marker' } });
    const stored = Buffer.from((await spansOf(upgraded, open.id))[0]?.spans ?? '', 'base64');
    for (const { spanId } of open.turns.at(-1) ?? []) expect(stored.includes(Buffer.from(spanId, 'hex'))).toBe(true);
    expect(verdictsOf(await conversationOf(upgraded, first.id))).toMatchObject({ known: 'pass', liked: 'pass' });

    // The judge answers all that waits.
    isAnswering = true;
    await expect.poll(async () => (await stateOf(upgraded, known)).waiting, { timeout: 60_000 }).toBe(0);
    for (const { id } of known)
      expect(verdictsOf(await conversationOf(upgraded, id)), id).toMatchObject({ kind: 'pass' });
    await untilObserved(upgraded, evaluationsOf(known, { judged: true }));
    const after = await stateOf(upgraded, known);
    await upgraded[end]();

    // The way back.
    const back = assay(['store', 'downgrade', '--to', release.version, ...place.arguments], { env: place.env });
    expect(back.status, back.stderr).toBe(0);
    const again = await start(release.program);
    expect(await versionOf(again)).toBe(release.version);
    expect(after).toMatchObject(await stateOf(again, known));
    // The last release cannot read what this version has learned: its detection begins from scratch.
    await sendAll(again, second);
    await untilEvaluated(again, scored.length + 3);
    await expect
      .poll(async () => verdictsOf(await conversationOf(again, second.id)), { timeout: 60_000 })
      .toMatchObject({ kind: 'pass', known: 'fail', liked: 'pass' });
    await again.stop();

    // And forward again.
    const newest = await start(undefined);
    await sendAll(newest, third);
    await untilEvaluated(newest, scored.length + 4);
    // The way back took what the last release has no place for.
    expect(after.documents).toMatchObject((await stateOf(newest, known)).documents);
  },
  240_000,
);

async function begin(
  place: Place,
  options: {
    readonly folder: string;
    readonly provider: Provider;
    readonly program: string | undefined;
  },
): Promise<AssayProcess> {
  const { folder, provider, program } = options;
  const config = path.join(folder, 'assay.yaml');
  writeFileSync(path.join(folder, 'kindness.yaml'), SUITE);
  const played = `{ provider: openai, model: played, base_url: "${provider.url}/v1", api_key_env: PLAYED_KEY }`;
  // With so short a gap there are rounds of detection all the time.
  writeFileSync(
    config,
    `suites: [default, kindness.yaml]
judges: { default: ${played} }
detection: { learn_history: 1200ms }
`,
  );
  const { ASSAY_DATA_DIR: dataDir = '', ...env } = place.env;
  const started = await startAssay({
    dataDir,
    ports: await freeListenPorts(),
    env: { ...TIMES, ...env, ASSAY_CONFIG: config },
    ...(program === undefined ? {} : { program }),
  });
  onTestFinished(() => started.kill());
  const isReady = async () => (await fetch(`${started.http}/readyz`)).status;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
  return started;
}

async function sendAll(to: AssayProcess, { turns, agentVersion }: TrafficConversation): Promise<void> {
  for (const turn of turns) expect(await sendSpans(to, exportRequest(turn, agentVersion))).toBe(200);
}

/** Its first turn: the root is its last span, and ends it. */
async function sendOpen(to: AssayProcess, conversation: TrafficConversation, part: 'beginning' | 'end'): Promise<void> {
  const spans = (conversation.turns.at(-1) ?? []).slice(...(part === 'beginning' ? [0, -1] : [-1]));
  expect(await sendSpans(to, exportRequest(spans, conversation.agentVersion))).toBe(200);
}

async function write(to: AssayProcess, method: string, route: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${to.http}${route}`, { method, headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(200);
}

async function scrape(of: AssayProcess) {
  return parseMetrics(await (await fetch(`${of.http}/metrics`)).text());
}

async function versionOf(running: AssayProcess): Promise<string | undefined> {
  const series = [...(await scrape(running)).keys()].find((name) => name.startsWith('assay_build_info'));
  return /version="([^"]+)"/.exec(series ?? '')?.[1];
}

async function untilEvaluated(running: AssayProcess, conversations: number): Promise<void> {
  const evaluated = async () => {
    const { conversations: all } = (await read(running, '/api/conversations?limit=200')) as {
      readonly conversations: readonly { readonly revision: number }[];
    };
    return all.filter(({ revision }) => revision > 0).length;
  };
  await expect.poll(evaluated, { timeout: 60_000, interval: 200 }).toBe(conversations);
}

/** Levels that detection has learned, once it has observed so many evaluations. */
/** Hard failures, cost and steps are learned from scratch: since 0.2.0 they are compared with conversations of the same outcome. */
function isCarriedOver({ metric }: Readonly<Record<string, unknown>>): boolean {
  return !['hard_failure', 'cost_per_success', 'steps_per_success'].includes(String(metric));
}

async function untilObserved(running: AssayProcess, evaluations: number) {
  for (;;) {
    const { observed, levels } = (await read(running, '/api/detection')) as {
      readonly observed?: number;
      readonly levels?: readonly Readonly<Record<string, unknown>>[];
    };
    // Figures move with time; a level that begins from scratch has another time of its state.
    const kept = levels
      ?.filter(isCarriedOver)
      .map(({ suite, metric, criterion, state, state_since }) =>
        [suite, metric, criterion, state, state_since].join(' '),
      );
    if (observed === evaluations) return { observed, levels: kept?.toSorted() };
    await sleep(200);
  }
}

/** The pack `default` evaluates turns; the other suite evaluates conversations once the judge has answered. */
function evaluationsOf(
  conversations: readonly Pick<TrafficConversation, 'turns'>[],
  { judged }: { readonly judged: boolean },
): number {
  const turns = conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  return turns + (judged ? conversations.length : 0);
}

/** Everything about these conversations, and the counters. */
async function stateOf(running: AssayProcess, conversations: readonly { readonly id: string }[]) {
  const documents = [];
  for (const { id } of conversations)
    documents.push({ ...(await conversationOf(running, id)), spans: await spansOf(running, id) });
  const counters = [...(await scrape(running))].filter(([name]) => CONTINUED.test(name)).toSorted();
  const waiting = documents.filter(({ evaluations }) => evaluations.some(({ waits_for }) => waits_for !== undefined));
  return { documents, counters, waiting: waiting.length };
}

interface Conversation {
  readonly evaluations: readonly {
    readonly suite: string;
    readonly revision: number;
    readonly waits_for?: readonly string[];
    readonly verdicts: Readonly<Record<string, { readonly verdict: string }>>;
  }[];
}

async function conversationOf(running: AssayProcess, id: string): Promise<Conversation> {
  const shown = JSON.stringify(await read(running, `/api/conversations/${encodeURIComponent(id)}`));
  // The last release made a band of a mean score; this version has none.
  return JSON.parse(shown, (name, value: unknown) => (name === 'band' ? undefined : value)) as Conversation;
}

async function spansOf(running: AssayProcess, id: string): Promise<readonly { readonly spans: string }[]> {
  const { traces = [] } = (await read(running, `/api/v1/spans/${encodeURIComponent(id)}`)) as {
    readonly traces?: readonly { readonly spans: string }[];
  };
  return traces;
}

function verdictsOf({ evaluations }: Conversation): Readonly<Record<string, string>> {
  const own = evaluations.filter(({ suite }) => suite === 'kindness').toSorted((a, b) => a.revision - b.revision);
  const verdicts = Object.entries(own.at(-1)?.verdicts ?? {});
  return Object.fromEntries(verdicts.map(([criterion, { verdict }]) => [criterion, verdict]));
}

async function read(running: AssayProcess, route: string): Promise<unknown> {
  const response = await fetch(`${running.http}${route}`);
  return response.status === 200 ? await response.json() : {};
}
