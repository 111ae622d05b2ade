/**
 * npm run bench -- redaction [--json]
 *
 * The cost of redacting a request without anything to redact, which is nearly every one: megabytes per second of one
 * core, compared with protobufjs decoding the same bytes. Measured with all patterns on, with the default patterns, and
 * with requests in which every message has something to redact. Then texts that were made to keep it busy, at two sizes:
 * twice the text may take twice the time.
 */
import { BUILT_IN_PATTERNS, DEFAULT_PATTERNS, type RedactionRules } from '../src/model/redaction.ts';
import { RequestRedactor } from '../src/redact/request-redactor.ts';
import { transcodeTraces } from '../src/otlp/json-transcoder.ts';
import { referenceDecoder } from './reference-decoder.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

export interface RedactionBenchOptions {
  readonly traces: number;
  readonly rounds: number;
}

const RULES: RedactionRules = {
  patterns: BUILT_IN_PATTERNS,
  custom: [],
  keys: ['http.request.header.*', 'db.statement'],
  userIds: { keys: ['user.id', 'enduser.id'], members: [] },
  identifiers: ['gen_ai.conversation.id'],
  salt: 'of the benchmark',
};
const BY_DEFAULT: RedactionRules = {
  ...RULES,
  patterns: DEFAULT_PATTERNS,
  keys: [],
  userIds: undefined,
};

export function benchRedaction(options: RedactionBenchOptions): {
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
} {
  const { requests, bytes } = makeWorkload({ seed: 1, traces: options.traces, spansPerRequest: 300, concurrent: 200 });
  const decode = referenceDecoder();
  // Equally long, so that lengths stay right.
  const withSecrets = requests.map((request) =>
    Buffer.from(Buffer.from(request).toString('latin1').replaceAll(' meeting room ', ' bob@site.org '), 'latin1'),
  );
  const redactors = {
    'all patterns': { redactor: new RequestRedactor(RULES), given: requests },
    'the default patterns': { redactor: new RequestRedactor(BY_DEFAULT), given: requests },
    'all patterns, an address in every other message': { redactor: new RequestRedactor(RULES), given: withSecrets },
  };
  const names = Object.keys(redactors) as (keyof typeof redactors)[];
  const best = new Map<string, number>();
  const time = (name: string, work: () => void) => {
    // The wall clock, because the thread's clock advances at the system's ticks, and a short round may fall between
    // them.
    const before = performance.now();
    work();
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, (performance.now() - before) / 1000));
  };
  let sink = 0;
  // Alternating, so that a disturbance of the machine affects all; the best of each counts.
  for (let round = 0; round < options.rounds; round += 1) {
    time('reference', () => {
      for (const request of requests) sink += decode(request) === undefined ? 1 : 0;
    });
    for (const name of names) {
      const { redactor, given } = redactors[name];
      time(name, () => {
        for (const request of given) sink += redactor.redact('traces', request) === undefined ? 0 : 1;
      });
    }
  }
  const speed = (name: string) => Math.round(bytes / 1e6 / (best.get(name) ?? Number.NaN));
  const rows = names.map((name) => ({
    name: `redaction: ${name} (MB/s of one core; reference: protobufjs decodes them)`,
    ours: speed(name),
    reference: speed('reference'),
    ratio: Math.round((speed(name) / speed('reference')) * 1000) / 1000,
  }));
  const replaced = withSecrets.reduce(
    (sum, request) => sum + (new RequestRedactor(RULES).redact('traces', request)?.counts.email ?? 0),
    0,
  );
  return {
    rows,
    notes: [
      ...HOSTILE.map((piece) => hostileNote(piece, options)),
      `${requests.length} requests of ${bytes} bytes; ${replaced} addresses in those with some; sink ${sink}`,
    ],
  };
}

/** The dearest known: each makes one of the recognisers look as far as it ever does. */
const HOSTILE: readonly string[] = [
  'password="',
  'secret:',
  'cookie:',
  'a://b:c',
  '%2541',
  '4111 ',
  '\\u00a0',
  '\u200b1',
  '"token": "a',
  'c2stcHJvai1BYjEyQ2Qz',
  '{"secret":[',
  '{"passwords":{"a":',
  'cookie: a="b" ',
  'password: `a',
  'a://b:c/',
  '4111|',
  "identified by '",
  'eyJ/',
  'bearer          ',
  '\\\\u00zz',
  'password: "\\\'%22',
  '\\n4111',
  "'4111\\n' +\n",
  '\'{"a": "4111111111111111"}\' ',
];
const HOSTILE_BYTES = 64 * 1024;

function hostileNote(piece: string, { traces, rounds }: RedactionBenchOptions): string {
  const bytes = Math.min(HOSTILE_BYTES, traces * 64);
  const [once, twice] = [bytes, 2 * bytes].map((length) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    const attributes = [{ key: 'input.value', value: { stringValue: text } }];
    const span = { traceId: '01'.repeat(16), spanId: '01'.repeat(8), attributes };
    const request = transcodeTraces(
      Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })),
    );
    const redactor = new RequestRedactor(BY_DEFAULT);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      const before = performance.now();
      redactor.redact('traces', request);
      best = Math.min(best, performance.now() - before);
    }
    return (best * 1e6) / length;
  });
  return `hostile ${JSON.stringify(piece)}: ${once?.toFixed(0)} ns a byte; twice as long ${twice?.toFixed(0)} ns a byte`;
}
