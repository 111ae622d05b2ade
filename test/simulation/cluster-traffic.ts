/**
 * The records that many kinds of agents would write to Kafka, and their times. They are the conversations of
 * `traffic.ts`, their spans split over records with gaps between. Some spans arrive long after their turn, some have no
 * id, some are in traces that only evidence joins, and some have their messages in a topic of log records. Everything
 * comes from a seed, and the test knows what was made.
 */
import { transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { randomFrom } from '../random.ts';
import { exportRequest, type TrafficConversation, type TrafficSpan, traffic } from './traffic.ts';

export interface ClusterTrafficOptions {
  readonly seed: number;
  readonly conversations: number;
  /** Conversations that begin per second. */
  readonly rate: number;
  /** The service's wait times, in milliseconds: gaps are chosen around these. */
  readonly settleMs: number;
  readonly turnIdleMs: number;
  readonly conversationIdleMs: number;
  /** If absent, all records of a turn come at once and nothing is late. */
  readonly calm?: boolean;
  /** Turns of each conversation, unless drawn at random; for `together-traffic.ts`. */
  readonly turns?: number;
  /** Kinds in whose place plain conversations come. */
  readonly without?: readonly ConversationKind[];
}

/** A record for Kafka at its time, in milliseconds from the beginning. */
export interface TimedRecord {
  readonly at: number;
  readonly signal: 'spans' | 'logs';
  readonly traceId: string;
  readonly value: Buffer;
  /** The time at which it is sent a second time. */
  readonly againAt: number | undefined;
}

export interface ScheduledConversation {
  /** Undefined if no span carries it. */
  readonly id: string | undefined;
  readonly kind: ConversationKind;
  readonly records: readonly TimedRecord[];
  /** By trace, the number of different spans. */
  readonly spans: ReadonlyMap<string, number>;
  /** The trace whose turn marks the end of the conversation, if the time of its arrival matters. */
  readonly ends?: string | undefined;
}

export type ConversationKind =
  /** Present only for `together-traffic.ts`. */
  | 'together'
  | 'plain'
  | 'without id'
  | 'messages in logs'
  | 'late spans'
  | 'no root'
  | 'late id'
  | 'a trace for each call'
  | 'named by the last call'
  | 'linked traces'
  | 'named by the last turn';

const SHARES: readonly (readonly [ConversationKind, number])[] = [
  ['plain', 0.4],
  ['without id', 0.1],
  ['messages in logs', 0.12],
  ['late spans', 0.1],
  ['no root', 0.04],
  ['late id', 0.04],
  ['a trace for each call', 0.06],
  ['named by the last call', 0.04],
  ['linked traces', 0.06],
  ['named by the last turn', 0.04],
];
const WITHOUT_ID: ReadonlySet<ConversationKind> = new Set(['without id', 'a trace for each call', 'linked traces']);
const JSON_SHARE = 0.3;
const DUPLICATED_SHARE = 0.05;

export function* clusterTraffic(options: ClusterTrafficOptions): Generator<ScheduledConversation> {
  const random = randomFrom(options.seed * 7919 + 1);
  const source = traffic({
    seed: options.seed,
    conversations: options.conversations,
    endMarks: 'multi-turn',
    turnsMax: 4,
    calls: [0, 3],
  });
  let index = 0;
  for (const conversation of source) {
    const startAt = (index * 1000) / options.rate;
    index += 1;
    const kind = kindOf(random());
    yield schedule(conversation, options.without?.includes(kind) === true ? 'plain' : kind, {
      startAt,
      random,
      options,
    });
  }
}

function kindOf(chance: number): ConversationKind {
  let rest = chance;
  for (const [kind, share] of SHARES) {
    if (rest < share) return kind;
    rest -= share;
  }
  return 'plain';
}

interface Chance {
  readonly startAt: number;
  readonly random: () => number;
  readonly options: ClusterTrafficOptions;
}

/** Spans or log records that share a record. */
interface Piece {
  readonly at: number;
  readonly signal: 'spans' | 'logs';
  readonly items: readonly TrafficSpan[];
}

function schedule(conversation: TrafficConversation, kind: ConversationKind, chance: Chance): ScheduledConversation {
  const { random, options } = chance;
  const isNamed = !WITHOUT_ID.has(kind);
  const pieces: Piece[] = [];
  const spans = new Map<string, number>();
  let at = chance.startAt;
  let previous: TrafficSpan | undefined;
  for (const [index, turn] of conversation.turns.entries()) {
    const says = isNamed && (kind !== 'named by the last turn' || index === conversation.turns.length - 1);
    const made = shape(says ? turn : turn.map(withoutId), { kind, at, previous, random, options });
    previous = made.flatMap(({ items }) => items)[0];
    for (const piece of made) {
      pieces.push(piece);
      if (piece.signal === 'logs') continue;
      for (const { traceId } of piece.items) spans.set(traceId, (spans.get(traceId) ?? 0) + 1);
    }
    const end = Math.max(...made.map((piece) => piece.at));
    // Mostly well before the conversation is over, sometimes after.
    const pause = random() < 0.04 ? options.conversationIdleMs * 1.5 : options.settleMs * (0.2 + random() * 2);
    at = (kind === 'late spans' || kind === 'late id' ? at : end) + (options.calm === true ? 50 : pause);
  }
  const records = pieces.map((piece) => toRecord(piece, conversation.agentVersion, random, options));
  return { id: isNamed ? conversation.id : undefined, kind, records, spans };
}

interface Shape {
  readonly kind: ConversationKind;
  readonly at: number;
  /** The first span of the previous turn. */
  readonly previous: TrafficSpan | undefined;
  readonly random: () => number;
  readonly options: ClusterTrafficOptions;
}

/** Decides when the spans of a turn arrive, and with which others. */
function shape(spans: readonly TrafficSpan[], { kind, at, previous, random, options }: Shape): Piece[] {
  const { settleMs, turnIdleMs, conversationIdleMs } = options;
  switch (kind) {
    case 'together':
    case 'plain':
    case 'without id':
      return split(spans, at, random, options);
    case 'messages in logs': {
      const logs: Piece = { at: at + random() * settleMs * 2, signal: 'logs', items: spans.filter(hasMessages) };
      return [...split(spans.map(withoutMessages), at, random, options), logs];
    }
    case 'late spans': {
      const held = spans.slice(0, 1);
      const lateAt = at + settleMs * 1.5 + random() * random() * 2 * conversationIdleMs;
      return [...split(spans.slice(1), at, random, options), { at: lateAt, signal: 'spans', items: held }];
    }
    case 'no root':
      return split(spans.slice(0, -1), at, random, options);
    case 'late id': {
      const rootAt = at + turnIdleMs * (0.5 + random() * 1.5);
      const children = split(spans.slice(0, -1).map(withoutId), at, random, options);
      return [...children, { at: rootAt, signal: 'spans', items: spans.slice(-1) }];
    }
    case 'a trace for each call':
    case 'named by the last call': {
      // The root is removed; each of its children is the root of a separate trace.
      const calls = spans.slice(0, -1).map(ownTrace);
      return calls.map((span, index) => ({
        at: at + index * settleMs * random(),
        signal: 'spans',
        items: [index === calls.length - 1 ? span : withoutId(span)],
      }));
    }
    case 'linked traces':
    case 'named by the last turn': {
      const links = previous === undefined ? [] : [{ traceId: previous.traceId, spanId: previous.spanId }];
      return split(
        spans.map((span, index) => (index === 0 ? { ...span, links } : span)),
        at,
        random,
        options,
      );
    }
  }
}

/** One to three records, with gaps shorter than the turn's timeout. */
function split(
  spans: readonly TrafficSpan[],
  at: number,
  random: () => number,
  options: ClusterTrafficOptions,
): Piece[] {
  const count = options.calm === true ? 1 : 1 + Math.floor(random() * 3);
  const size = Math.max(1, Math.ceil(spans.length / count));
  const pieces: Piece[] = [];
  let pieceAt = at;
  for (let from = 0; from < spans.length; from += size) {
    pieces.push({ at: pieceAt, signal: 'spans', items: spans.slice(from, from + size) });
    pieceAt += random() * options.settleMs * 0.9;
  }
  return pieces;
}

export function toRecord(
  piece: Piece,
  agentVersion: string,
  random: () => number,
  options: ClusterTrafficOptions,
): TimedRecord {
  const isJson = random() < JSON_SHARE;
  const isDuplicated = random() < DUPLICATED_SHARE;
  const againAt = isDuplicated ? piece.at + random() * options.conversationIdleMs : undefined;
  const json = Buffer.from(
    piece.signal === 'spans' ? exportRequest(piece.items, agentVersion) : logsRequest(piece.items, agentVersion),
  );
  const value = isJson ? json : Buffer.from((piece.signal === 'spans' ? transcodeTraces : transcodeLogs)(json));
  return { at: piece.at, signal: piece.signal, traceId: piece.items[0]?.traceId ?? '', value, againAt };
}

const isMessages = (key: string) => key === 'gen_ai.input.messages' || key === 'gen_ai.output.messages';
const hasMessages = ({ attributes }: TrafficSpan) => attributes.some(({ key }) => isMessages(key));

function withoutMessages(span: TrafficSpan): TrafficSpan {
  return { ...span, attributes: span.attributes.filter(({ key }) => !isMessages(key)) };
}

function withoutId(span: TrafficSpan): TrafficSpan {
  return { ...span, attributes: span.attributes.filter(({ key }) => key !== 'gen_ai.conversation.id') };
}

/** Ids of calls are made long enough to prove that two traces belong together. */
function ownTrace(span: TrafficSpan): TrafficSpan {
  const { parentSpanId: _, ...rest } = span;
  const text = JSON.stringify({ ...rest, traceId: span.spanId.repeat(2) });
  // The cast holds: only ids have changed.
  return JSON.parse(text.replaceAll(/call_([0-9a-f]{8})/g, 'call_$1$1')) as TrafficSpan;
}

/** The messages of the calls, as the event of the GenAI conventions. */
function logsRequest(spans: readonly TrafficSpan[], agentVersion: string): string {
  const attributes = [
    { key: 'service.name', value: { stringValue: 'simulated-agent' } },
    { key: 'service.version', value: { stringValue: agentVersion } },
    { key: 'deployment.environment.name', value: { stringValue: 'simulation' } },
  ];
  const logRecords = spans.map((span) => ({
    timeUnixNano: span.endTimeUnixNano,
    eventName: 'gen_ai.client.inference.operation.details',
    traceId: span.traceId,
    spanId: span.spanId,
    attributes: span.attributes.filter(({ key }) => isMessages(key)),
  }));
  const scopeLogs = [{ scope: { name: 'assay.simulation', version: '1' }, logRecords }];
  return JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs }] });
}
