/**
 * A rolling upgrade of a cluster under load, and the way back. Instances of the last release are replaced one after the
 * other, so that both versions work side by side; one is killed instead of stopped. Later the store is taken back, the
 * last release goes on, and at the end this version again. The books must balance, and the same topics, read by this
 * version alone, must give the same bytes.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../../../src/cli/version.ts';
import { OUTCOMES } from '../../../src/model/evaluation.ts';
import { compareVersions } from '../../../src/store/migration.ts';
import { MIGRATIONS } from '../../../src/store/postgres/schema.ts';
import { assay } from '../../assay-command.ts';
import {
  compareBooks,
  compareWithProduced,
  readBooks,
  totalsAgainstEvaluations,
} from '../../simulation/cluster-books.ts';
import { readEvaluationRecords } from '../../simulation/cluster-evaluations.ts';
import type { ClusterInstance } from '../../simulation/cluster-instance.ts';
import { TrafficProducer } from '../../simulation/cluster-producer.ts';
import { untilAtRest } from '../../simulation/cluster-rest.ts';
import { Rig, TIMES } from '../../simulation/cluster-rig.ts';
import { clusterTraffic } from '../../simulation/cluster-traffic.ts';
import { straightTo } from '../../simulation/cluster-transports.ts';
import { parseMetrics, scrapeMismatches, sumOfScrapes } from '../../simulation/scraped-totals.ts';
import { type LastRelease, lastRelease } from './last-release.ts';

const EVALUATIONS = 'rolling-evaluations';
const ENV = { ASSAY_KAFKA_CLOCK_MARGIN: '3s' };
const SIDE_BY_SIDE_MS = 4000;

let rig: Rig;
let release: LastRelease;
const surprises: string[] = [];
beforeAll(async () => {
  [release, rig] = await Promise.all([
    lastRelease(),
    Rig.start({
      networks: 0,
      brokers: 1,
      partitions: 6,
      suites: ['same-in-both.yaml', 'same-in-both-turns.yaml'].map((file) => path.join(import.meta.dirname, file)),
      onSurprise: (what) => surprises.push(what),
    }),
  ]);
}, 300_000);
afterAll(() => rig?.close({ keep: false }));

test('a cluster goes from the last release to this version, back, and forward, and the books balance', {
  timeout: 420_000,
}, async () => {
  const database = await rig.postgres.createDatabase();
  const group = 'rolling';
  await rig.makeTopic(EVALUATIONS, 3);
  const env = { ...ENV, ASSAY_KAFKA_EVALUATIONS: EVALUATIONS };
  const make = (name: string) => rig.instance({ name, network: undefined, group, database, env });
  const instances = [await make('one'), await make('two'), await make('three')] as const;
  const startAll = async (program: string | undefined) => {
    for (const instance of instances) {
      instance.runs(program);
      instance.start();
    }
    await Promise.all(instances.map((instance) => instance.untilReady()));
  };
  await startAll(release.program);
  const producer = new TrafficProducer({
    transport: straightTo(rig.kafka.brokers, rig.topics),
    traffic: clusterTraffic({
      ...TIMES,
      seed: 23,
      rate: 15,
      conversations: Number.MAX_SAFE_INTEGER,
      // The last release scored each call of a turn by itself; this version does not.
      without: ['a trace for each call', 'named by the last call'],
    }),
  });
  producer.start();
  await sleep(SIDE_BY_SIDE_MS);

  // One after the other.
  const [one, two, three] = instances;
  const replace = async (instance: ClusterInstance, end: 'stop' | 'kill') => {
    await instance[end]();
    instance.runs(undefined);
    instance.start();
    await instance.untilReady();
  };
  if (runsBeside(release.version)) {
    await replace(one, 'stop');
    const before = await scoredBy(three);
    await sleep(2 * SIDE_BY_SIDE_MS);
    expect(await Promise.all([one, two, three].map(versionOf))).toEqual([version, release.version, release.version]);
    expect(await scoredBy(one)).toBeGreaterThan(0);
    expect(await scoredBy(three)).toBeGreaterThan(before);
    await replace(two, 'kill');
    await replace(three, 'stop');
  } else {
    await Promise.all(instances.map((instance) => instance.stop()));
    await startAll(undefined);
  }
  await sleep(SIDE_BY_SIDE_MS);
  expect(await Promise.all(instances.map(versionOf))).toEqual([version, version, version]);

  // The way back; records wait in Kafka meanwhile.
  const back = () => assay(['store', 'downgrade', '--to', release.version], { env: { ASSAY_STORE_URL: database } });
  expect(back().stderr).toContain('stop every Assay first');
  await Promise.all(instances.map((instance) => instance.stop()));
  const done = back();
  expect(done.status, done.stderr).toBe(0);
  await startAll(release.program);
  await sleep(SIDE_BY_SIDE_MS);
  expect(await Promise.all(instances.map(versionOf))).toEqual(instances.map(() => release.version));
  await Promise.all(instances.map((instance) => instance.stop()));
  await startAll(undefined);
  producer.end();
  const produced = await producer.ended();

  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const topics = Object.values(rig.topics);
  const atRest = (of: { readonly group: string; readonly database: string }) =>
    untilAtRest({ ...of, brokers: rig.kafka.brokers, topics, patienceMs: 60_000, say: () => {} });
  expect(await atRest({ group, database })).toBeUndefined();
  const scraped = sumOfScrapes(await Promise.all(instances.map(async (one) => parseMetrics(await one.scrape()))));
  await Promise.all(instances.map((instance) => instance.stop()));
  const books = await readBooks(database);
  const sent = await readEvaluationRecords(rig.kafka.brokers, EVALUATIONS);

  // The last release has the conversation as key.
  expect([sent.contradictions, sent.ids.size]).toEqual([0, books.evaluations.size]);
  expect(surprises).toEqual([]);
  expect(books.evaluations.size).toBeGreaterThan(500);
  expect(compareWithProduced(books, produced, say), said.join('\n')).toEqual({
    lost_conversations: 0,
    lost_spans: 0,
    stored_twice: 0,
    unexpected: 0,
  });
  expect(
    scrapeMismatches(scraped, books.totals, say) + totalsAgainstEvaluations(books, OUTCOMES, say),
    said.join('\n'),
  ).toBe(0);

  const reference = await rig.postgres.createDatabase();
  const alone = await rig.instance({
    name: 'alone',
    network: undefined,
    group: 'alone',
    database: reference,
    env: ENV,
  });
  alone.start();
  await alone.untilReady();
  expect(await atRest({ group: 'alone', database: reference })).toBeUndefined();
  await alone.stop();
  const difference = compareBooks(books, await readBooks(reference), say);
  expect([difference.evaluation_mismatches, difference.counter_mismatches], said.join('\n')).toEqual([0, 0]);
  expect(instances.map(({ crashes, notStopped }) => crashes + notStopped)).toEqual([0, 0, 0]);
});

/** A migration may say that the version before stops; the changelog then says to stop it first. */
function runsBeside(last: string): boolean {
  return !MIGRATIONS.some(({ since, versionBefore }) => versionBefore === 'stops' && compareVersions(since, last) > 0);
}

async function scoredBy(instance: ClusterInstance): Promise<number> {
  return parseMetrics(await instance.scrape()).get('assay_turns_scored_total') ?? 0;
}

async function versionOf(instance: ClusterInstance): Promise<string | undefined> {
  return /^assay_build_info\{version="([^"]+)"/m.exec(await instance.scrape())?.[1];
}
