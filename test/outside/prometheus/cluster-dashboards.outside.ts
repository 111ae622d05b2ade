/**
 * The dashboards and alerts for several instances: a gateway that writes to a real Kafka, two instances that read it
 * over one PostgreSQL, a judge, and a real Prometheus that scrapes all three. First there is no traffic, then there are
 * conversations, with some late and some unreadable records; at last the database and the broker are stopped.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { dashboards } from '../../../deploy/grafana/source/dashboards.ts';
import { DASHBOARDS, LINKS } from '../../../deploy/links.ts';
import { ruleFile } from '../../../deploy/prometheus/source/rule-file.ts';
import { RULE_SETTINGS, shortened } from '../../../deploy/prometheus/source/settings.ts';
import { isOfCluster, panelsOf, withVariables } from '../../deploy/dashboard-queries.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { sendSpans, startInstance, sumOf } from '../cluster/instance.ts';
import { KafkaCluster } from '../kafka/broker.ts';
import { send } from '../kafka/sending.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { answersOf, askedBy, selectingNothing, selectorsOfRules, seriesSince, untilAnswered } from './panel-answers.ts';
import { startPlayedJudge } from './played-judge.ts';
import { BUILT_WITHIN_MS, prometheusBinaries } from './prometheus-binaries.ts';
import { startPrometheus } from './prometheus-process.ts';

/** Ten minutes last ten seconds. */
const SETTINGS = shortened(RULE_SETTINGS, 60);
const TOPIC = 'otlp_spans';
const CONVERSATIONS = 20;
/** An age at which no record can be on time. */
const LONG_AGO_MS = 600_000;

const fill = (query: string) =>
  withVariables(query, {
    ...{ suite: 'default', agent: 'simulated-agent', environment: '.*', version: '.*' },
    ...{ window: '1m', __rate_interval: '10s' },
  });

/** Panels that dashboards.outside.ts leaves out, and the panels about Assay except the journal, which is Kafka here. */
const everything = askedBy(panelsOf(dashboards(SETTINGS, LINKS)), fill);
const OF_ASSAY: readonly string[] = [DASHBOARDS.health, DASHBOARDS.judges];
const asked = everything.filter(
  ({ board, promql }) => isOfCluster(promql) || (OF_ASSAY.includes(board) && !promql.includes('assay_journal_')),
);
/** Panels that must show more than zero for this traffic, because the presence of a number alone proves little. */
const HAPPENED =
  'Records, Bytes, Turns scored, Batches, Closed turns, Late records, Queue, Read, Late for the clock, Evaluations sent, Cluster time behind, Dead letters, Problems, Ends, Calls, Tokens, Cost'.split(
    ', ',
  );
/**
 * The alerts that report it. Which other alerts fire depends on the machine: ten minutes are ten seconds, and a slow
 * scrape is an outage.
 */
const TOLD = ['AssayDeadLetters', 'AssayLateRecords', 'AssayStalled'];
const TOLD_OF_OUTAGES = ['AssayInstanceProblem', 'AssayProblem'];
const POLL = { timeout: 60_000, interval: 500 };

let kafka: KafkaCluster;
let postgres: PostgresServer;
// Not in the time of the test: the first one on a machine builds it.
beforeAll(() => prometheusBinaries('3.x'), BUILT_WITHIN_MS);
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([KafkaCluster.start(), startPostgres()]);
});
afterAll(async () => {
  await Promise.all([kafka?.close(), postgres?.close()]);
});

test('what dashboards and alerts say of several instances', { timeout: 240_000 }, async () => {
  const judge = await startPlayedJudge();
  await kafka.createTopic(TOPIC, 4);
  for (const topic of ['letters', 'evaluations']) await kafka.createTopic(topic);
  const file = path.join(tempDirectory(), 'assay.yaml');
  writeFileSync(file, stringify({ suites: ['default', 'judged'], ...judge.config }));
  const common = { kafka, topic: TOPIC, store: await postgres.createDatabase() };
  const env = {
    ...{ ASSAY_CONFIG: file, ASSAY_KAFKA_DEAD_LETTERS: 'letters', ASSAY_KAFKA_EVALUATIONS: 'evaluations' },
    // Late spans have no root.
    ASSAY_TURN_IDLE: '2s',
    ...judge.env,
  };
  const [gateway, ...readers] = await Promise.all([
    startInstance({ ...common, name: 'gateway', env: { ...env, ASSAY_KAFKA_ROLE: 'gateway' } }),
    startInstance({ ...common, name: 'one', env }),
    startInstance({ ...common, name: 'two', env }),
  ]);
  const instances = [gateway, ...readers];
  // While the database is away they would wait for it.
  onTestFinished(async () => {
    await Promise.all(instances.map((instance) => instance.kill()));
  });
  const start = Date.now() / 1000;
  const targets = instances.map(({ http }) => http);
  const prometheus = await startPrometheus({ line: '3.x', targets, rules: ruleFile(SETTINGS, LINKS) });

  // No traffic.
  await untilAnswered(prometheus, 'min(count_over_time(assay_build_info[10s])) >= 5 and sum(assay_kafka_lanes) == 4');
  expect((await answersOf(prometheus, everything, start)).broken).toEqual([]);
  const begun = Date.now() / 1000;

  // Conversations, with one span of each turn after the turn has been scored.
  const conversations = [...traffic({ seed: 8, conversations: CONVERSATIONS, turnsMax: 1 })];
  for (const { turns, agentVersion } of conversations)
    expect(await sendSpans(gateway, exportRequest(turns.flat().slice(1), agentVersion))).toBe(200);
  await send(kafka, TOPIC, ['no spans at all', 'nor here']);
  const judged = () => sumOf(instances, 'assay_evaluations_total{', 'suite="judged"');
  await expect.poll(judged, POLL).toBeGreaterThanOrEqual(CONVERSATIONS);
  const [first] = conversations;
  for (const { turns, agentVersion } of conversations)
    expect(await sendSpans(gateway, exportRequest(turns.flat().slice(0, 1), agentVersion))).toBe(200);
  const value = exportRequest(first?.turns[0] ?? [], 'v1');
  await send(kafka, TOPIC, [{ value, timestamp: String(Date.now() - LONG_AGO_MS) }]);
  const revised = () => sumOf(instances, 'assay_late_records_total{', 'revised');
  await expect.poll(revised, POLL).toBeGreaterThanOrEqual(CONVERSATIONS);
  await untilAnswered(
    prometheus,
    `sum(assay_late_records_total{fate="revised"}) >= ${CONVERSATIONS} and sum(assay_evaluations_sent_total) >= ${CONVERSATIONS}
    and sum(assay_kafka_late_records_total) > 0 and sum(assay_kafka_unreadable_records_total) >= 2`,
  );
  await expect.poll(() => firedSince(begun), POLL).toContain('AssayDeadLetters');
  const firedEarly = await firedSince(begun);
  expect(TOLD_OF_OUTAGES.filter((alert) => firedEarly.includes(alert))).toEqual([]);

  // They stop, while work is left.
  await postgres.kill();
  await untilAnswered(prometheus, 'sum(assay_problem{part="store"}) == 2');
  for (const { turns, agentVersion } of traffic({ seed: 9, conversations: 4, turnsMax: 1 }))
    expect(await sendSpans(gateway, exportRequest(turns.flat(), agentVersion))).toBe(200);
  await untilAnswered(prometheus, 'sum(assay_scoring_queue_length) > 0');
  await kafka.kill(1);
  await expect.poll(() => firedSince(begun), POLL).toEqual(expect.arrayContaining([...TOLD, ...TOLD_OF_OUTAGES]));

  const { unanswered, broken, highest } = await answersOf(prometheus, asked, start);
  expect(unanswered.map(({ name }) => name)).toEqual([]);
  expect(broken).toEqual([]);
  expect(HAPPENED.filter((title) => !((highest.get(title) ?? 0) > 0))).toEqual([]);
  expect(highest.get('Instances')).toBe(3);
  expect(await selectingNothing(prometheus, selectorsOfRules().filter(isOfCluster), start)).toEqual([]);

  async function firedSince(since: number): Promise<readonly string[]> {
    const firing = await seriesSince(prometheus, 'ALERTS{alertstate="firing", area="assay"}', since);
    return [...new Set(firing.map(({ metric }) => metric.alertname ?? ''))].sort();
  }
});
