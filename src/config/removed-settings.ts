/**
 * Settings that this version no longer has. Their names are accepted with a warning until the next version, so that an upgrade never fails for
 * one of them; after that the table begins empty again.
 */
import type { Place, WrittenDocument } from '../model/written-document.ts';
import type { Variables } from './sources.ts';
import type { Stranger } from './unknown-variables.ts';
import { isMapping } from '../model/json.ts';

interface Removed {
  /** `*` stands for any name. */
  readonly key: string;
  readonly variable?: string;
  /** The effect now. */
  readonly now: string;
  /** Variables that say the same. Until the next version they are set where nothing else sets them, so the setting still has its effect. */
  readonly instead?: (given: string, env: Variables) => Variables;
  /** Members of the same mapping that say the same, likewise. */
  readonly beside?: (given: unknown) => Readonly<Record<string, unknown>>;
}

/** Care that somebody asked for goes on. */
const strictUnlessCounted = {
  now: 'use judges.*.strict; this version still takes it',
  beside: (given: unknown) => (given === 'count' ? {} : { strict: true }),
};

const SECRETS = {
  'http.write_token_env': 'ASSAY_HTTP_WRITE_TOKEN',
  'access.session_key_env': 'ASSAY_SESSION_KEY',
  'access.oidc.client_secret_env': 'ASSAY_OIDC_CLIENT_SECRET',
  'results.headers_env': 'ASSAY_RESULTS_HEADERS',
  'kafka.sasl.password_env': 'ASSAY_KAFKA_PASSWORD',
  'kafka.sasl.client_secret_env': 'ASSAY_KAFKA_CLIENT_SECRET',
  'store.password_env': 'ASSAY_STORE_PASSWORD',
};

export const REMOVED: readonly Removed[] = [
  ...Object.entries(SECRETS).map(([key, secretOf]) => ({
    key,
    instead: (given: string, env: Variables) => ({ [secretOf]: env[given] }),
    now: `give the secret in ${secretOf}, or its file; this version still takes it`,
  })),
  { key: 'turn.max_spans', now: 'a turn has 5000 spans; above 16 MiB, turn.max_bytes raises that as well' },
  { key: 'turn.max_open', now: 'it is 1,000,000, and 50,000 in each partition of Kafka' },
  { key: 'turn.reopen', now: 'late spans count for 24h' },
  { key: 'kafka.max_open_turns', now: 'it is 50,000 in each partition' },
  { key: 'kafka.client_id', now: 'it is assay' },
  { key: 'kafka.record_bytes', now: 'it is 900,000' },
  {
    key: 'kafka.read',
    variable: 'ASSAY_KAFKA_READ',
    now: 'use kafka.role: gateway instead of false; this version still takes it',
    instead: (given) => (given === 'false' ? { ASSAY_KAFKA_ROLE: 'gateway' } : {}),
  },
  {
    key: 'kafka.accept',
    variable: 'ASSAY_KAFKA_ACCEPT',
    now: 'use kafka.role: reader instead of false; this version still takes it',
    instead: (given) => (given === 'false' ? { ASSAY_KAFKA_ROLE: 'reader' } : {}),
  },
  { key: 'kafka.max_record_bytes', now: 'it is 64MiB, as over OTLP' },
  { key: 'journal.segment_bytes', now: 'it is a 128th of journal.max_bytes, at most 64MiB' },
  { key: 'receive.max_body_bytes', now: 'it is 64MiB' },
  { key: 'receive.max_in_flight_bytes', now: 'it is 256MiB, or an eighth of the memory where that is less' },
  { key: 'store.lease', variable: 'ASSAY_STORE_LEASE', now: 'use kafka.session_timeout, which stands for both' },
  { key: 'store.words', now: 'words are indexed' },
  { key: 'score.check_timeout', now: 'it is 1s' },
  { key: 'metrics.max_segments', now: 'it is a tenth of metrics.max_label_values, at least 20' },
  { key: 'detection.learn_conversations', now: 'it is 50' },
  { key: 'detection.baseline_memory', now: 'it is 14d, or twice detection.learn_history where that is longer' },
  { key: 'detection.baseline_gap', now: 'it is 1d, or half of detection.learn_history where that is shorter' },
  { key: 'detection.recovered', now: 'it is 1d' },
  { key: 'detection.silent', now: 'it is 1d' },
  { key: 'alerts.give_up_after', now: 'it is 24h' },
  { key: 'alerts.timeout', now: 'it is 10s' },
  { key: 'results.timeout', now: 'it is 10s' },
  {
    key: 'telemetry.active',
    variable: 'ASSAY_TELEMETRY',
    now: 'use OTEL_TRACES_EXPORTER=otlp, or OTEL_SDK_DISABLED=true; this version still takes it',
    instead: (given) => (given === 'true' ? { OTEL_TRACES_EXPORTER: 'otlp' } : { OTEL_SDK_DISABLED: 'true' }),
  },
  {
    key: 'telemetry.endpoint',
    variable: 'ASSAY_TELEMETRY_ENDPOINT',
    now: 'use OTEL_TRACES_EXPORTER=otlp and OTEL_EXPORTER_OTLP_ENDPOINT; this version still takes it',
    instead: (given) => (given === '' ? {} : { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: given }),
  },
  { key: 'telemetry.headers_file', variable: 'ASSAY_TELEMETRY_HEADERS', now: 'use OTEL_EXPORTER_OTLP_HEADERS' },
  { key: 'telemetry.headers_env', now: 'use OTEL_EXPORTER_OTLP_HEADERS' },
  { key: 'telemetry.metrics_every', now: 'it is 60s' },
  { key: 'judges.*.retries', now: 'it is 4' },
  { key: 'judges.*.timeout', now: 'it is 1m, and more where max_output_tokens is above 2000' },
  { key: 'judges.*.tokens_per_minute', now: 'it is 3,333 for each of requests_per_minute' },
  { key: 'judges.*.when_cut', ...strictUnlessCounted },
  { key: 'judges.*.when_unsupported', ...strictUnlessCounted },
  { key: 'judges.*.deadline', now: 'it is 10m' },
  { key: 'judging.keep_answers', now: 'answers are kept for store.keep' },
];

/** The configuration as it would be written today, and the removed names that were in it. */
export function withoutRemoved(document: WrittenDocument | undefined, env: Variables) {
  let [value, variables] = [document?.value, env];
  const removed: Stranger[] = [];
  for (const { key, variable = '', now, instead, beside } of REMOVED) {
    const take = (name: string, given: unknown) => {
      removed.push({ name, hint: `removed in 0.2.0: ${now}` });
      const set = Object.entries(variables).filter(([, already]) => (already ?? '') !== '');
      variables = { ...instead?.(String(given), env), ...Object.fromEntries(set) };
    };
    const { [variable]: given, ...others } = variables;
    variables = others;
    if (given !== undefined && given !== '') take(variable, given);
    for (const found of valuesAt(value, key.split('.'))) {
      // Left in the document, it is an unknown setting: a secret that is not there must not go unnoticed.
      if (isMissing(instead?.(String(found.given), env))) continue;
      take(`${found.path.join('.')}${placeOf(document?.placeOfKey(found.path))}`, found.given);
      value = without(value, found.path, beside?.(found.given));
    }
  }
  return { document: document && { ...document, value }, variables, removed };
}

function isMissing(variables: Variables = {}): boolean {
  const values = Object.values(variables);
  return values.length > 0 && values.every((value) => (value ?? '') === '');
}

function valuesAt(value: unknown, [first, ...rest]: readonly string[]): { path: string[]; given: unknown }[] {
  if (first === undefined) return [{ path: [], given: value }];
  if (!isMapping(value)) return [];
  return Object.keys(value)
    .filter((key) => first === '*' || key === first)
    .flatMap((key) => valuesAt(value[key], rest).map(({ path, given }) => ({ path: [key, ...path], given })));
}

function without(value: unknown, [first = '', ...rest]: readonly string[], beside: object = {}): unknown {
  if (!isMapping(value)) return value;
  const { [first]: inner, ...others } = value;
  return rest.length === 0 ? { ...beside, ...others } : { ...others, [first]: without(inner, rest, beside) };
}

function placeOf(place: Place | undefined): string {
  return place?.line === undefined ? '' : ` (line ${place.line})`;
}
