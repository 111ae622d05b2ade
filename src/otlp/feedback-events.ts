/**
 * Recognises events that carry feedback of the agent's users in bytes of OTLP, before anything is decoded. The event of
 * the conventions also carries what evaluators say; only its name tells them apart.
 */
import { WireError, WireReader } from './wire.ts';

const OWN_EVENT = Buffer.from('assay.feedback');
const NAMED = Buffer.from('user_feedback');
const NAME_KEY = Buffer.from('gen_ai.evaluation.name');
const VALUE_TAG = 0x12;
const STRING_TAG = 0x0a;
/** Lengths below this take one byte. */
const SHORT = 0x80;
const DOT = 0x2e;

/** Fields of TracesData, each inside the one before: resource_spans, scope_spans, spans, events. */
const PATH_OF_EVENTS = [0x0a, 0x12, 0x12, 0x5a];

/** Whether an event of a span can be one. Few spans have events, and nothing else of them is looked at. */
export function spansMayCarryFeedback(traces: Uint8Array): boolean {
  try {
    return isIn(traces, new WireReader(traces, 0), { end: traces.length, depth: 0 });
  } catch (error) {
    // Spans of a forgotten turn are overwritten where they lie.
    if (!(error instanceof WireError)) throw error;
    return mayCarryFeedback(traces);
  }
}

function isIn(bytes: Uint8Array, reader: WireReader, { end, depth }: { end: number; depth: number }): boolean {
  const wanted = PATH_OF_EVENTS[depth];
  if (wanted === undefined) return mayCarryFeedback(bytes.subarray(reader.at, end));
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === wanted) {
      const stop = reader.lengthEnd(end);
      if (isIn(bytes, reader, { end: stop, depth: depth + 1 })) return true;
      reader.at = stop;
    } else {
      // Another field of the message, which leads to no event.
      reader.skip(tag, end);
    }
  }
  return false;
}

/** Whether any record in it can be one. */
export function mayCarryFeedback(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.includes(OWN_EVENT) || buffer.includes(NAMED);
}

export function namesUserFeedback(name: string | undefined): boolean {
  return name === 'user_feedback' || name?.startsWith('user_feedback.') === true;
}

/**
 * The same of a log record's bytes, of which nothing is decoded:
 *
 *   attribute = "gen_ai.evaluation.name" 0x12 length 0x0a length "user_feedback" [ "../model" ... ]
 */
export function isUserFeedback(bytes: Uint8Array): boolean {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = record.indexOf(NAME_KEY); at >= 0; at = record.indexOf(NAME_KEY, at + 1)) {
    const value = at + NAME_KEY.length;
    const length = record[value + 3] ?? SHORT;
    if (record[value] !== VALUE_TAG || record[value + 2] !== STRING_TAG || length >= SHORT) continue;
    const text = record.subarray(value + 4, value + 4 + length);
    if (text.length >= NAMED.length && text.subarray(0, NAMED.length).equals(NAMED))
      return text.length === NAMED.length || text[NAMED.length] === DOT;
  }
  return false;
}
