/**
 * The cluster test: several instances read one Kafka and share one PostgreSQL while everything fails that can.
 * Afterwards the books must balance: nothing lost, nothing counted twice, nothing closed early.
 *
 * With `together`, turns of a conversation come at once and one of them ends it: first evaluations must be of whole
 * conversations.
 *
 * To check that nothing closes early, the same topics are read again without faults, with another group and another
 * database. The evaluations there, at every revision, must be byte-identical.
 */
import { OUTCOMES } from '../../src/model/evaluation.ts';
import {
  type Books,
  compareBooks,
  compareWithProduced,
  describeConversation,
  type Mismatches,
  readBooks,
  totalsAgainstEvaluations,
} from './cluster-books.ts';
import { readEvaluationRecords } from './cluster-evaluations.ts';
import { describeFault, planFaults, runFaults } from './cluster-faults.ts';
import type { ClusterInstance } from './cluster-instance.ts';
import { type Transport, TrafficProducer } from './cluster-producer.ts';
import { untilAtRest, untilNothingComes } from './cluster-rest.ts';
import { Rig, TIMES } from './cluster-rig.ts';
// Mends a timer of kafkajs for the clients of the test.
import '../../src/kafka/kafkajs/internals.ts';
import { clusterTraffic } from './cluster-traffic.ts';
import { togetherTraffic } from './together-traffic.ts';
import { severalTo, straightTo, throughCollector } from './cluster-transports.ts';
import { type FirstEvaluations, firstEvaluations, INCOMPLETE_SHARE_MAX, TOGETHER_SUITE } from './first-evaluations.ts';
import { parseMetrics, scrapeMismatches, sumOfScrapes } from './scraped-totals.ts';

export interface ClusterOptions {
  readonly instances: number;
  readonly faults: number;
  readonly seed: number;
  /** With faults, traffic lasts as long as they do. */
  readonly conversations: number;
  /** Conversations that begin per second. */
  readonly rate: number;
  readonly partitions: number;
  /** The number of instances of each undisturbed run. */
  readonly undisturbed: readonly number[];
  readonly calm?: boolean;
  /** Spans come as OTLP through a Collector. */
  readonly collector?: boolean;
  /** Turns of a conversation come at once, over several producers, and one of them ends it. */
  readonly together?: boolean;
  readonly onProgress?: (line: string) => void;
  /** Stops everything and rejects. */
  readonly signal?: AbortSignal;
  /** Called before everything is stopped, if the books do not balance. */
  readonly onTrouble?: (where: string) => Promise<void>;
}

export interface ClusterReport extends Mismatches, FirstEvaluations {
  readonly faults: number;
  readonly instances: number;
  readonly conversations: number;
  readonly records: number;
  readonly traces: number;
  readonly spans: number;
  /** Records that the producer retried because no acknowledgement came. */
  readonly resent: number;
  readonly evaluations: number;
  readonly revised: number;
  /** Evaluations that differ from those of an undisturbed run, are missing, or are superfluous. */
  readonly evaluation_mismatches: number;
  /** Series that differ between scrapes, store, evaluations and the undisturbed runs. */
  readonly counter_mismatches: number;
  /** Evaluations that are missing from their topic, or are there twice. */
  readonly sent_mismatches: number;
  /** Work that was not done although there was time; empty if all was done. */
  readonly unfinished: readonly string[];
  readonly crashes: number;
  /** Instances that had to be killed because they did not end when told to. */
  readonly not_stopped: number;
  readonly seconds: { readonly traffic: number; readonly until_rest: number };
}

const JOINERS = 2;
const EVALUATIONS = 'evaluations';
const PATIENCE_MS = 120_000;
const SUITES = ['default', 'response-clarity', 'error-recovery'];

export function isBalanced(report: ClusterReport): boolean {
  const { lost_conversations, lost_spans, stored_twice, unexpected } = report;
  const wrong = lost_conversations + lost_spans + stored_twice + unexpected;
  const differing = report.evaluation_mismatches + report.counter_mismatches + report.sent_mismatches;
  const broken = report.unfinished.length + report.crashes + report.not_stopped;
  const { judged_incomplete, first_evaluations } = report;
  const isWhole = judged_incomplete <= first_evaluations * INCOMPLETE_SHARE_MAX;
  return wrong + differing + broken === 0 && report.evaluations > 0 && isWhole;
}

export async function clusterTest(options: ClusterOptions): Promise<ClusterReport> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const say = (line: string) => options.onProgress?.(`${String(seconds()).padStart(5)} s  ${line}`);
  const joiners = options.faults > 0 ? JOINERS : 0;
  const plan = planFaults({ ...options, joiners, brokers: 3 });
  for (const fault of plan) say(`plan ${describeFault(fault)}`);
  const rig = await Rig.start({
    networks: options.instances + joiners,
    partitions: options.partitions,
    suites: options.together === true ? [...SUITES, TOGETHER_SUITE] : SUITES,
    onSurprise: say,
  });
  let keep = true;
  try {
    const report = await Promise.race([run({ options, rig, plan, say, seconds }), aborted(options.signal)]);
    keep = !isBalanced(report);
    return report;
  } finally {
    if (keep) say(`the logs are kept: ${rig.directory}`);
    await rig.close({ keep });
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('the simulation was stopped')), { once: true });
  });
}

interface Parts {
  readonly options: ClusterOptions;
  readonly rig: Rig;
  readonly plan: ReturnType<typeof planFaults>;
  readonly say: (line: string) => void;
  readonly seconds: () => number;
}

async function run({ options, rig, plan, say, seconds }: Parts): Promise<ClusterReport> {
  const group = 'assay';
  const database = await rig.postgres.createDatabase();
  await rig.makeTopic(EVALUATIONS, 3);
  const env = { ASSAY_KAFKA_EVALUATIONS: EVALUATIONS };
  const members: ClusterInstance[] = [];
  const count = options.instances + (plan.length > 0 ? JOINERS : 0);
  for (let number = 0; number < count; number += 1) {
    members.push(await rig.instance({ name: `assay-${number + 1}`, network: number, group, database, env }));
  }
  const instances = members.slice(0, options.instances);
  for (const instance of instances) instance.start();
  await Promise.all(instances.map((instance) => instance.untilReady()));
  say(`${instances.length} instances are ready; logs in ${rig.directory}`);

  const together = options.together === true;
  const trafficOptions = {
    ...TIMES,
    seed: options.seed,
    rate: options.rate,
    calm: options.calm ?? false,
    conversations: plan.length > 0 ? Number.MAX_SAFE_INTEGER : options.conversations,
  };
  const producer = new TrafficProducer({
    transport: await transportFor(options, rig),
    traffic: together ? togetherTraffic(trafficOptions) : clusterTraffic(trafficOptions),
    onProgress: say,
  });
  const trafficFrom = seconds();
  producer.start();
  if (plan.length > 0) {
    await runFaults(plan, { rig, instances, joiners: members.slice(options.instances), producer, say });
    producer.end();
  }
  const produced = await producer.ended();
  await untilNothingComes({ brokers: rig.kafka.brokers, topics: Object.values(rig.topics) });
  const trafficSeconds = seconds() - trafficFrom;
  say(`${produced.conversations} conversations in ${produced.records} records are in the topics`);

  // All instances that ever took part, so that all counters can be scraped.
  for (const member of members) {
    member.heal();
    member.start();
  }
  const unfinished: string[] = [];
  const rest = async (of: { readonly group: string; readonly database: string }) => {
    const { brokers } = rig.kafka;
    const topics = Object.values(rig.topics);
    const left = await untilAtRest({ ...of, brokers, topics, patienceMs: PATIENCE_MS, say });
    if (left !== undefined) unfinished.push(`${of.group}: ${left}`);
    say(`${of.group} ${left === undefined ? 'is at rest' : `IS NOT AT REST: ${left}`}`);
  };
  await rest({ group, database });
  const untilRest = seconds() - trafficFrom;
  await Promise.all(members.map((member) => member.untilReady()));
  const scraped = sumOfScrapes(await Promise.all(members.map(async (member) => parseMetrics(await member.scrape()))));
  await Promise.all(members.map((member) => member.stop()));
  const books = await readBooks(database);

  const sent = await readEvaluationRecords(rig.kafka.brokers, EVALUATIONS);
  say(
    `${sent.records} evaluations were sent, ${sent.ids.size} different ones; the store has ${books.evaluations.size}`,
  );
  const sentMismatches = sent.contradictions + sent.otherKeys + Math.abs(books.evaluations.size - sent.ids.size);
  const mismatches = compareWithProduced(books, produced, say);
  let counters = scrapeMismatches(scraped, books.totals, say) + totalsAgainstEvaluations(books, OUTCOMES, say);
  let evaluations = 0;
  for (const number of options.undisturbed) {
    const reference = await undisturbed(number, { rig, rest });
    const difference = compareBooks(books, reference.books, (line) => say(`(${number} undisturbed) ${line}`));
    evaluations += difference.evaluation_mismatches;
    counters += difference.counter_mismatches;
    for (const id of [...difference.conversations].slice(0, 3)) {
      say(`conversation ${id}, here:\n${await describeConversation(database, id)}`);
      say(`conversation ${id}, undisturbed:\n${await describeConversation(reference.database, id)}`);
    }
    const same = difference.evaluation_mismatches + difference.counter_mismatches === 0;
    say(`${number} undisturbed: ${same ? 'the same bytes' : 'DIFFERENT'}`);
  }
  const first = await firstEvaluations({
    sent: produced.ending,
    brokers: rig.kafka.brokers,
    topic: rig.topics.spans,
    database,
    settleMs: TIMES.settleMs,
    idleMs: TIMES.conversationIdleMs,
    say,
  });
  const report: ClusterReport = {
    faults: plan.length,
    instances: options.instances,
    conversations: produced.conversations,
    records: produced.records,
    traces: produced.spans.size,
    spans: [...produced.spans.values()].reduce((sum, spans) => sum + spans, 0),
    resent: produced.resent,
    evaluations: books.evaluations.size,
    revised: [...books.conversations.values()].filter(({ revision }) => revision > 1).length,
    ...mismatches,
    ...first,
    evaluation_mismatches: evaluations,
    counter_mismatches: counters,
    sent_mismatches: sentMismatches,
    unfinished,
    crashes: members.reduce((sum, { crashes }) => sum + crashes, 0),
    not_stopped: members.reduce((sum, { notStopped }) => sum + notStopped, 0),
    seconds: { traffic: trafficSeconds, until_rest: untilRest },
  };
  if (!isBalanced(report)) await options.onTrouble?.(`${rig.postgres.url} ${rig.directory} ${JSON.stringify(report)}`);
  return report;
}

async function transportFor({ collector, together }: ClusterOptions, rig: Rig): Promise<Transport> {
  if (collector === true) return throughCollector((await rig.collector()).otlpHttp);
  return (together === true ? severalTo : straightTo)(rig.kafka.brokers, rig.topics);
}

/** Reads the same topics again, from their beginning, with a separate group and database. */
async function undisturbed(
  count: number,
  {
    rig,
    rest,
  }: {
    readonly rig: Rig;
    readonly rest: (of: { readonly group: string; readonly database: string }) => Promise<void>;
  },
): Promise<{ readonly books: Books; readonly database: string }> {
  const database = await rig.postgres.createDatabase();
  const group = `undisturbed-${count}`;
  const instances: ClusterInstance[] = [];
  for (let number = 0; number < count; number += 1) {
    instances.push(await rig.instance({ name: `${group}-${number + 1}`, network: undefined, group, database }));
  }
  for (const instance of instances) instance.start();
  await Promise.all(instances.map((instance) => instance.untilReady()));
  await rest({ group, database });
  await Promise.all(instances.map((instance) => instance.stop()));
  return { books: await readBooks(database), database };
}
