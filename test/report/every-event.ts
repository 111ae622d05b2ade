/** Events of every kind: a new kind does not compile until it has an example. */
import type { AnyEvent } from '../../src/model/events/any-event.ts';
import type { Transition } from '../../src/model/detection.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { reading, regression } from './regressions.ts';

const MISTAKE = {
  file: 'assay.yaml',
  line: 3,
  column: 1,
  path: 'otlp.port',
  problem: 'is not a number',
  expected: 'a number',
};

const BETTER: Transition = {
  kind: 'version',
  id: 'b'.repeat(32),
  at: 2_000_000,
  from: 'inconclusive',
  to: 'better',
  reading: {
    suite: 's',
    agent: 'a',
    environment: 'e',
    version: 'v2',
    baselineVersion: 'v1',
    verdict: 'better',
    logEvidenceWorse: -1,
    logEvidenceBetter: 3,
    difference: 0.1,
  },
};

// The cast is the brand: it is an id.
const CONVERSATION = 'c' as ConversationId;

const LEARNT: Transition = { kind: 'level', id: 'c', at: 1, from: 'learning', to: 'ok', reading: reading() };

const EXAMPLES: { readonly [T in AnyEvent['type']]: readonly Omit<Extract<AnyEvent, { type: T }>, 'type'>[] } = {
  'batch-received': [
    { transport: 'http', signal: 'traces', encoding: 'gzip', format: 'json', records: 3, bytes: 100 },
    { transport: 'grpc', signal: 'logs', encoding: 'identity', format: 'protobuf', records: 2, bytes: 50 },
  ],
  'turn-doubted': [{ doubt: 'fragment' }],
  'records-rejected': [{ transport: 'kafka', signal: 'traces', reason: 'invalid_id', records: 2 }],
  'text-redacted': [{ signal: 'traces', counts: { email: 2, key: 1 } }],
  'request-refused': [{ transport: 'http', reason: 'overloaded', code: 503 }],
  'connection-dropped': [
    { port: 'otlp_grpc', because: 'http2_flood' },
    { port: 'http', because: 'answers_not_taken' },
  ],
  'tls-handshake-failed': [{ port: 'http', problem: 'ERR_SSL_HTTP_REQUEST' }],
  'tls-certificate-renewed': [{ expiresAt: 1_800_000_000 }],
  'tls-certificate-unusable': [{ problem: 'read tls.cert_file: ENOENT' }],
  'access-allowed': [{ port: 'http', role: 'read', by: 'token' }],
  'access-refused': [{ port: 'otlp_http', reason: 'no_token' }],
  'access-open': [{ host: '0.0.0.0' }],
  'tokens-unreadable': [{ from: 'tokens.json', problem: 'EACCES' }],
  'tokens-readable': [{ from: 'tokens.json' }],
  'sign-in': [{ result: 'ok' }],
  'identity-provider-away': [{ problem: 'fetch failed' }],
  'sessions-unreadable': [{ problem: 'connection refused' }],
  'audit-failed': [{ problem: 'ENOSPC', lines: 3 }],
  'metrics-discarded': [{ transport: 'grpc', bytes: 10 }],
  'journal-recovered': [{ entries: 1, rows: 2, cutBytes: 3, tookMs: 4.4 }],
  'journal-corrupt': [{ position: 1, length: 20, quarantinedAt: '/data/x' }],
  'store-writable': [{ problem: 'disk full' }, { problem: undefined }],
  'journal-writable': [{}],
  'damage-found': [{ kind: 'store-behind', what: '/data/assay.db has 3 of its 4 commits' }],
  'store-upgrading': [
    { from: 'schema version 24 (Assay 0.1.0)', to: 'schema version 25 (Assay 0.2.0)', discards: [] },
    { from: 'schema version 24 (Assay 0.1.0)', to: 'schema version 24 (Assay 0.1.0)', discards: ['what was learned'] },
  ],
  'set-aside': [{ files: ['/data/content/quarantine/20261124T194500Z/00000000.content'] }],
  'clock-jumped': [{ byMs: 8_640_000_000 }, { byMs: undefined }],
  'content-damaged': [{ what: 'conversation c', reason: 'they fail their checksum' }],
  'journal-segment-short': [{ position: 64, size: 10, capacity: 64 }],
  'journal-synced': [{ records: 1, bytes: 2, tookMs: 3 }],
  'journal-refused': [{ because: 'disk-full', detail: 'no space', records: 2 }],
  'journal-segment-failed': [{ detail: 'recycle segment 0' }],
  'turn-closed': [
    { cause: 'settled', fate: 'stored', rows: 2 },
    { cause: 'idle', fate: 'duplicate', rows: 3 },
    { cause: 'idle', fate: 'not-understood', rows: 4 },
  ],
  'clock-wrong': [{ reason: 'future' }],
  'turn-without-end': [{ conversation: CONVERSATION, revision: 1, sign: 'no-root' }],
  'conversation-evaluated': [{ conversation: CONVERSATION, cause: 'idle', suites: 1, revision: 1 }],
  'check-failed': [{ suite: 's', criterion: 'c', reason: 'threw' }],
  'answer-reused': [{ judge: 'j' }],
  'evidence-shown': [{ judge: 'j', isCut: true, unsupported: 1 }],
  'not-understood': [{ what: 'turn x', reason: 'cut' }],
  'feedback-arrived': [{ way: 'span', fate: 'kept' }],
  'labels-folded': [
    { label: 'agent', agent: 'a', version: '1' },
    { label: 'segment', agent: 'a', version: '1' },
  ],
  'scorer-committed': [{ turns: 5, tookMs: 20 }],
  'scorer-failed': [{ error: 'Error: disk' }],
  'scorer-restarted': [{ because: 'a check hung' }],
  'check-stopped': [{ suite: 's', criterion: 'c', suspendedUntil: 1_700_000_000_000 }],
  'store-pruned': [
    { conversations: 0, bytes: 0 },
    { conversations: 2, bytes: 100 },
  ],
  'results-sent': [{ evaluations: 1 }],
  'results-failed': [{ problem: '503' }],
  'results-refused': [{ evaluations: 2, problem: '400' }],
  'results-dropped': [{ evaluations: 3 }],
  'archive-lag': [{ ms: 90_000 }],
  'archive-failed': [{ problem: 'the object store answered 503 SlowDown' }],
  'archive-recovered': [{}],
  'archive-missed': [{ conversations: 4 }],
  'config-reload-failed': [{ mistakes: 1, problem: undefined }],
  'config-reloaded': [
    { suites: ['s', 't'], needRestart: [] },
    { suites: ['s'], needRestart: ['http.port'] },
  ],
  'config-mistake': [{ mistake: MISTAKE }],
  'api-written': [{ route: '/api/labels', status: 404 }],
  'store-read': [{ route: '/api/conversations', status: 200, tookMs: 5 }],
  'read-refused': [{ because: 'queue_full' }, { because: 'client_gone' }],
  'read-incomplete': [{ what: 'evidence', error: 'the disk is gone' }],
  'reading-restarted': [
    { because: 'deadline', error: '/api/v1/shadow ran past its deadline' },
    { because: 'ended', error: 'out of memory' },
  ],
  'telemetry-problem': [{ problem: 'Unauthorized' }],
  'records-read': [{ topic: 't', signal: 'traces', records: 1, rows: 2, bytes: 3 }],
  'record-unreadable': [{ topic: 't', partition: 0, offset: 7, reason: 'not OTLP', fate: 'dropped' }],
  'record-empty': [{ topic: 't' }],
  'record-late': [{ topic: 't', byMs: 10 }],
  'lanes-gained': [{ lanes: [1, 2], kept: 1 }],
  'lanes-lost': [{ lanes: [1], because: 'rebalanced' }],
  'kafka-problem': [{ problem: undefined }, { problem: 'no broker' }],
  'store-problem': [{ problem: undefined }, { problem: 'refused' }],
  'sending-problem': [{ problem: undefined }, { problem: 'no topic' }],
  'arrivals-filed': [{ arrivals: 3, tookMs: 30 }],
  'conversations-scored': [
    { conversations: 2, arrivals: 0, tookMs: 40 },
    { conversations: 3, arrivals: 4, tookMs: 50 },
  ],
  'evaluations-sent': [{ evaluations: 4 }],
  'judge-called': [
    { judge: 'j', result: 'said', reason: '', tookMs: 100, inputTokens: 10, outputTokens: 2, nanos: 5e9 },
    { judge: 'j', result: 'timeout', reason: 'slow', tookMs: 9e4, inputTokens: 0, outputTokens: 0, nanos: 0 },
  ],
  'question-ended': [
    { judge: 'j', end: 'answered', disagreed: true },
    { judge: 'j', end: 'too-late', disagreed: false },
  ],
  'judge-stopped': [{ judge: 'j', failure: 'quota', reason: 'no money', tryAgainMs: 99.5 }],
  'judge-resumed': [{ judge: 'j' }],
  'judge-probed': [{ judge: 'j', agreed: true }],
  'budget-exhausted': [{ window: 'day' }],
  'judging-observed': [
    {
      judges: [
        { judge: 'j', questions: 2, oldestMs: 500, isStopped: true },
        { judge: 'k', questions: 0, oldestMs: 500, isStopped: false },
      ],
      spent: { hourNanos: 5, dayNanos: 7 },
    },
  ],
  'judging-failed': [{ problem: 'the store is locked' }],
  'detector-changed': [{ transition: regression() }, { transition: BETTER }, { transition: LEARNT }],
  'detection-observed': [{ evaluations: 5, transitions: 1, tookMs: 3 }],
  'detection-began-again': [{ problem: 'another version' }],
  'detection-dropped': [{ problem: 'a notice' }],
  'detection-learned': [
    { suite: 'care', conversations: 8000, problem: undefined },
    { suite: 'care', conversations: 0, problem: 'a check ran too long' },
  ],
  'detection-failed': [{ problem: 'locked' }],
  'webhook-delivered': [{ webhook: 'chat', attempts: 2 }],
  'webhook-failed': [{ webhook: 'chat', problem: '500' }],
  'webhook-given-up': [{ webhook: 'chat', id: 'x' }],
};

// The cast holds because each example stands under its own type.
export const EVERY_EVENT = Object.entries(EXAMPLES).flatMap(([type, events]) =>
  events.map((event) => ({ type, ...event }) as AnyEvent),
);
