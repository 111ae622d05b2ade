/** Assay's own health and its detector, minute by minute. */
import { AGENT, type RuleCase } from '../rule-case.ts';
import { gauge, rising, runs, type Series } from '../traffic.ts';

const MINUTES = 120;
/** In seconds. The clock of these cases begins at 0. */
const DAY = 86_400;
const MINUTELY = { stepMinutes: 1, evaluateMinutes: 1 } as const;
const QUALITY = { agent_version: 'v1', ...AGENT };

const steady = (name: string, labels: Readonly<Record<string, string>>, perMinute: number) =>
  gauge(name, labels, rising(perMinute, MINUTES + 1));
const level = (name: string, labels: Readonly<Record<string, string>>, value: number) =>
  gauge(name, labels, runs([value, MINUTES + 1]));
/** A counter that stays at zero for the first hour. */
const later = (name: string, labels: Readonly<Record<string, string>>, perMinute: number) =>
  gauge(name, labels, [...runs([0, 60]), ...rising(perMinute, MINUTES - 59)]);

const JOB = { job: 'assay' };
const INSTANCE = { job: 'assay', instance: 'assay-1' };

/** A healthy service: each kind of trouble is there, in an amount that needs no action. */
const WELL: readonly Series[] = [
  steady('assay_received_requests_total', { transport: 'http' }, 1000),
  steady('assay_refused_requests_total', { transport: 'http', reason: 'malformed' }, 1),
  steady('assay_refused_requests_total', { transport: 'http', reason: 'aborted' }, 100),
  steady('assay_received_records_total', { signal: 'traces' }, 10_000),
  steady('assay_rejected_records_total', { signal: 'traces', reason: 'invalid_id' }, 10),
  steady('assay_late_records_total', { fate: 'revised' }, 200),
  steady('assay_late_records_total', { fate: 'duplicate' }, 5000),
  steady('assay_turns_scored_total', {}, 500),
  level('assay_scoring_queue_length', {}, 200),
  level('assay_log_lag_seconds', {}, 12),
  level('assay_cluster_time_lag_seconds', {}, 45),
  level('assay_kafka_lag_seconds', { topic: 'otlp_spans', partition: '0' }, 3),
  ...['kafka', 'store', 'evaluations', 'own_store'].map((part) => level('assay_problem', { part }, 0)),
  steady('assay_failures_total', { part: 'scoring' }, 0),
  level('assay_config_last_reload_successful', {}, 1),
  level('assay_data_damage', { kind: 'journal-corrupt' }, 0),
  level('assay_tls_certificate_expiry_timestamp_seconds', {}, 15 * DAY),
  level('assay_insecure_no_auth', {}, 0),
  level('assay_data_damage', { kind: 'store-behind' }, 0),
  level('assay_retention_clock_jump_seconds', {}, 0),
  level('assay_judge_stopped', { judge: 'default' }, 0),
  steady('assay_judge_calls_total', { judge: 'default', result: 'said' }, 30),
  steady('assay_judge_calls_total', { judge: 'default', result: 'rate-limited' }, 3),
  level('assay_judge_budget_spent_ratio', { window: 'day' }, 0.99),
  level('assay_judge_waiting_questions', { judge: 'default' }, 0),
  steady('assay_judge_questions_total', { judge: 'default', end: 'answered' }, 30),
  steady('assay_judge_questions_total', { judge: 'default', end: 'over-budget' }, 0),
  steady('assay_kafka_unreadable_records_total', { topic: 'otlp_spans', fate: 'dead-letter' }, 0),
  steady('assay_kafka_unreadable_records_total', { topic: 'otlp_spans', fate: 'empty' }, 50),
  steady('assay_series_folded_total', {}, 0),
  steady('assay_verdicts_total', { ...QUALITY, criterion: 'polite', verdict: 'pass' }, 10),
  steady('assay_verdicts_total', { ...QUALITY, criterion: 'polite', verdict: 'error' }, 0.1),
  steady('assay_evaluations_total', { ...QUALITY, outcome: 'successful_completion' }, 9),
  steady('assay_evaluations_total', { ...QUALITY, outcome: 'unscored' }, 1),
];

const READ = steady('assay_kafka_rows_total', { topic: 'otlp_spans', signal: 'traces' }, 10_000);

const CAP = { suite: 'default', criterion: 'cap', critical: 'true' };

/** The healthy service with one exception. */
function but(...series: readonly Series[]): readonly Series[] {
  const key = ({ name, labels }: Series) => JSON.stringify([name, Object.entries(labels).sort()]);
  const replaced = new Set(series.map(key));
  return [...WELL.filter((one) => !replaced.has(key(one))), ...series];
}

const detector = (metric: string, state: string, extra: Readonly<Record<string, string>> = {}) =>
  gauge('assay_detector_state', { ...AGENT, metric, state, ...extra }, [...runs([0, 30]), ...runs([1, MINUTES - 29])]);
const changed = (metric: string, value: number, extra: Readonly<Record<string, string>> = {}) =>
  level('assay_detector_change_ratio', { ...AGENT, metric, bound: 'value', ...extra }, value);
/** One of two instances reports a stream, and after a while the other. */
const handedOver: readonly Series[] = ['assay-1', 'assay-2'].map((instance, index) =>
  gauge(
    'assay_detector_state',
    { ...AGENT, metric: 'tcr', state: 'regressed', instance },
    index === 0 ? runs([1, 60], [undefined, 61]) : runs([undefined, 60], [1, 61]),
  ),
);

function fires(
  name: string,
  alert: string,
  labels: Readonly<Record<string, string>>,
  series: readonly Series[],
): RuleCase {
  return { name, ...MINUTELY, series, checks: [{ at: 2, firing: { [alert]: [labels] } }] };
}

export const HEALTH_CASES: readonly RuleCase[] = [
  { name: 'a service that is well', ...MINUTELY, series: WELL, checks: [1, 2].map((at) => ({ at, firing: {} })) },
  {
    name: 'one of two instances is away',
    ...MINUTELY,
    series: but(gauge('up', { instance: 'assay-2' }, runs([1, 60], [0, 61]))),
    checks: [
      { at: 1, firing: {} },
      { at: 2, firing: { AssayDown: [{ job: 'assay', instance: 'assay-2' }] } },
    ],
  },
  {
    name: 'the only instance is away',
    ...MINUTELY,
    scraped: false,
    series: [gauge('up', {}, runs([1, 60], [0, 61]))],
    checks: [
      { at: 1, firing: {} },
      { at: 2, firing: { AssayDown: [INSTANCE], AssayAbsent: [{}] } },
    ],
  },
  fires('turns wait and none is scored', 'AssayStalled', JOB, [
    ...but(gauge('assay_turns_scored_total', {}, [...rising(500, 60), ...runs([29_500, 61])])),
  ]),
  {
    name: 'an instance that has nothing to do is not stalled',
    ...MINUTELY,
    series: but(level('assay_scoring_queue_length', {}, 0), level('assay_turns_scored_total', {}, 7)),
    checks: [{ at: 2, firing: {} }],
  },
  ...(['store', 'kafka'] as const).flatMap((part): readonly RuleCase[] => {
    const one = level('assay_problem', { part }, 1);
    return [
      {
        name: `no instance can use its ${part}`,
        ...MINUTELY,
        series: but(one),
        checks: [
          { at: 2, firing: { AssayProblem: [{ ...JOB, part }], AssayInstanceProblem: [{ ...INSTANCE, part }] } },
        ],
      },
      {
        name: `one of two instances can not use its ${part}: the other does its work`,
        ...MINUTELY,
        series: but(one, level('assay_problem', { part, instance: 'assay-2' }, 0)),
        checks: [{ at: 2, firing: { AssayInstanceProblem: [{ ...INSTANCE, part }] } }],
      },
    ];
  }),
  fires(
    'evaluations can not be sent',
    'AssayInstanceProblem',
    { ...INSTANCE, part: 'evaluations' },
    but(level('assay_problem', { part: 'evaluations' }, 1)),
  ),
  fires(
    'batches fail again and again',
    'AssayInstanceProblem',
    { ...INSTANCE, part: 'scoring' },
    but(later('assay_failures_total', { part: 'scoring' }, 1)),
  ),
  fires(
    'a configuration that can not be read again',
    'AssayInstanceProblem',
    { ...INSTANCE, part: 'configuration' },
    but(gauge('assay_config_last_reload_successful', {}, [...runs([1, 60]), ...runs([0, 61])])),
  ),
  {
    name: "a reload that fails and is done again at once is nobody's business",
    ...MINUTELY,
    series: but(
      gauge('assay_config_last_reload_successful', {}, [...runs([1, 100]), ...runs([0, 3]), ...runs([1, 18])]),
    ),
    checks: [{ at: 1.75, firing: {} }],
  },
  fires(
    'a judge that is stopped',
    'AssayJudgeProblem',
    { ...JOB, judge: 'default', reason: 'stopped' },
    but(level('assay_judge_stopped', { judge: 'default' }, 1)),
  ),
  fires(
    'a judge whose calls fail',
    'AssayJudgeProblem',
    { ...JOB, judge: 'default', reason: 'errors' },
    but(steady('assay_judge_calls_total', { judge: 'default', result: 'timeout' }, 10)),
  ),
  {
    name: "a few calls of a judge that fail are nobody's business",
    ...MINUTELY,
    series: but(
      steady('assay_judge_calls_total', { judge: 'default', result: 'said' }, 0.1),
      steady('assay_judge_calls_total', { judge: 'default', result: 'rate-limited' }, 0.2),
    ),
    checks: [{ at: 2, firing: {} }],
  },
  fires(
    'a budget for judges that is spent while questions wait',
    'AssayJudgeProblem',
    { ...JOB, window: 'day', reason: 'budget-spent' },
    but(level('assay_judge_waiting_questions', { judge: 'default' }, 40)),
  ),
  fires(
    'questions to a judge that are left out',
    'AssayJudgeProblem',
    { ...JOB, judge: 'default', reason: 'over-budget' },
    but(steady('assay_judge_questions_total', { judge: 'default', end: 'over-budget' }, 0.2)),
  ),
  fires('behind the log', 'AssayLagging', JOB, but(level('assay_log_lag_seconds', {}, 900))),
  fires(
    'behind in a partition',
    'AssayLagging',
    JOB,
    but(level('assay_kafka_lag_seconds', { topic: 'otlp_spans', partition: '0' }, 3600)),
  ),
  fires(
    'more waits than is done in two minutes',
    'AssayLagging',
    JOB,
    but(level('assay_scoring_queue_length', {}, 2000)),
  ),
  fires(
    'overloaded',
    'AssayRefusingRequests',
    { ...JOB, reason: 'overloaded' },
    but(steady('assay_refused_requests_total', { transport: 'grpc', reason: 'overloaded' }, 50)),
  ),
  fires(
    'spans without an id',
    'AssayRefusingRequests',
    { ...JOB, signal: 'traces', reason: 'invalid_id' },
    but(steady('assay_rejected_records_total', { signal: 'traces', reason: 'invalid_id' }, 500)),
  ),
  {
    name: 'what is rejected of what is read from Kafka is a share of that',
    ...MINUTELY,
    series: but(steady('assay_received_records_total', { signal: 'traces' }, 0), READ),
    checks: [{ at: 2, firing: {} }],
  },
  fires(
    'a corrupt journal',
    'AssayDataDamaged',
    { ...INSTANCE, kind: 'journal-corrupt' },
    but(level('assay_data_damage', { kind: 'journal-corrupt' }, 1)),
  ),
  fires(
    'a certificate that ends in less than two weeks',
    'AssayCertificateExpires',
    INSTANCE,
    but(level('assay_tls_certificate_expiry_timestamp_seconds', {}, 14 * DAY)),
  ),
  fires('an instance that asks for no token', 'AssayOpenToAll', INSTANCE, but(level('assay_insecure_no_auth', {}, 1))),
  fires(
    'a start that finds the store behind',
    'AssayDataDamaged',
    { ...INSTANCE, kind: 'store-behind' },
    but(level('assay_data_damage', { kind: 'store-behind' }, 1)),
  ),
  fires(
    'a clock that went back 100 days',
    'AssayInstanceProblem',
    { ...INSTANCE, part: 'clock' },
    but(level('assay_retention_clock_jump_seconds', {}, -8_640_000)),
  ),
  fires(
    'a store on a full disk',
    'AssayProblem',
    { ...INSTANCE, part: 'own_store' },
    but(level('assay_problem', { part: 'own_store' }, 1)),
  ),
  fires(
    'a poison record',
    'AssayDeadLetters',
    { ...JOB, topic: 'otlp_spans', fate: 'dead-letter' },
    but(
      gauge(
        'assay_kafka_unreadable_records_total',
        { topic: 'otlp_spans', fate: 'dead-letter' },
        runs([0, 115], [1, 6]),
      ),
    ),
  ),
  fires('spans come late', 'AssayLateRecords', JOB, but(steady('assay_late_records_total', { fate: 'too-late' }, 900))),
  fires(
    'spans come late, each through a gateway and then from Kafka: they came once',
    'AssayLateRecords',
    JOB,
    but(steady('assay_late_records_total', { fate: 'too-late' }, 600), READ),
  ),
  fires(
    'a check that throws',
    'AssayCheckErrors',
    { suite: 'default', criterion: 'polite', reason: 'error' },
    but(steady('assay_verdicts_total', { ...QUALITY, criterion: 'polite', verdict: 'error' }, 2)),
  ),
  fires(
    'a critical criterion that its tool’s calls never decide',
    'AssayCheckErrors',
    { suite: 'default', criterion: 'cap', reason: 'argument_absent' },
    but(steady('assay_criteria_undecided_total', { ...CAP, reason: 'argument_absent' }, 1)),
  ),
  {
    name: 'a critical criterion that some calls decide, one that is not critical, and one whose content is off are no alert',
    ...MINUTELY,
    series: but(
      steady('assay_criteria_undecided_total', { ...CAP, reason: 'argument_absent' }, 1),
      steady('assay_verdicts_total', { ...QUALITY, criterion: 'cap', verdict: 'pass' }, 1),
      steady(
        'assay_criteria_undecided_total',
        { ...CAP, criterion: 'note', critical: 'false', reason: 'argument_absent' },
        1,
      ),
      steady('assay_criteria_undecided_total', { ...CAP, criterion: 'off', reason: 'not_recorded' }, 1),
    ),
    checks: [{ at: 2, firing: {} }],
  },
  {
    name: 'one error of a check in two conversations is one error',
    ...MINUTELY,
    series: but(
      gauge('assay_verdicts_total', { ...QUALITY, criterion: 'rare', verdict: 'pass' }, runs([0, 100], [1, 21])),
      gauge('assay_verdicts_total', { ...QUALITY, criterion: 'rare', verdict: 'error' }, runs([0, 100], [1, 21])),
    ),
    checks: [{ at: 2, firing: {} }],
  },
  fires(
    'spans without what the suite needs',
    'AssayUnscored',
    AGENT,
    but(steady('assay_evaluations_total', { ...QUALITY, outcome: 'unscored' }, 5)),
  ),
  fires('label values without end', 'AssaySeriesFolded', JOB, but(later('assay_series_folded_total', {}, 3))),
];

export const DETECTOR_CASES: readonly RuleCase[] = [
  {
    name: 'the detector says that the TCR fell',
    ...MINUTELY,
    series: but(detector('tcr', 'regressed'), changed('tcr', -0.12)),
    checks: [
      { at: 0.25, firing: {} },
      { at: 1, firing: { AgentDetectorRegression: [{ ...AGENT, metric: 'tcr' }] } },
      {
        at: 2,
        firing: {
          AgentDetectorRegression: [{ ...AGENT, metric: 'tcr' }],
        },
        values: {
          'ALERTS{alertname="AgentDetectorRegression", severity="page"} == 1': {
            '{__name__="ALERTS",alertname="AgentDetectorRegression",alertstate="firing",agent="shop",environment="production",suite="default",first="AgentDetectorRegression",metric="tcr",severity="page",area="quality"}': 1,
          },
        },
      },
    ],
  },
  {
    name: 'suspected is not regressed',
    ...MINUTELY,
    series: but(detector('tcr', 'suspected'), changed('tcr', -0.12)),
    checks: [{ at: 2, firing: {} }],
  },
  {
    name: 'another instance takes the stream over: one alert, and it goes on',
    ...MINUTELY,
    series: but(...handedOver),
    checks: [0.9, 1.1].map((at) => ({
      at,
      firing: { AgentDetectorRegression: [{ ...AGENT, metric: 'tcr' }] },
    })),
  },
  fires(
    'the detector names a criterion',
    'AgentDetectorPartRegression',
    { ...AGENT, metric: 'criterion', criterion: 'polite' },
    but(
      detector('criterion', 'regressed', { criterion: 'polite' }),
      changed('criterion', -0.2, { criterion: 'polite' }),
    ),
  ),
  fires(
    'the detector finds a part of the traffic that got worse',
    'AgentDetectorPartRegression',
    { ...AGENT, metric: 'segment', segment: 'tool: book' },
    but(
      detector('segment', 'regressed', { segment: 'tool: book' }),
      changed('segment', -0.2, { segment: 'tool: book' }),
    ),
  ),
  fires(
    'the detector finds a dearer success',
    'AgentDetectorEfficiencyRegression',
    { ...AGENT, metric: 'cost_per_success' },
    but(detector('cost_per_success', 'regressed'), changed('cost_per_success', 0.2)),
  ),
  fires(
    'the detector finds a candidate worse',
    'AgentDetectorVersionWorse',
    { ...AGENT, agent_version: 'v2', baseline_version: 'v1' },
    but(level('assay_version_verdict', { ...AGENT, agent_version: 'v2', baseline_version: 'v1', verdict: 'worse' }, 1)),
  ),
];
