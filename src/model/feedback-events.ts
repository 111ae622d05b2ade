/**
 * Recognises events that carry feedback of the agent's users in bytes of OTLP, before anything is decoded. The event of
 * the conventions also carries what evaluators say; only its name tells them apart.
 */
const OWN_EVENT = Buffer.from('assay.feedback');
const NAMED = Buffer.from('user_feedback');
const NAME_KEY = Buffer.from('gen_ai.evaluation.name');
const VALUE_TAG = 0x12;
const STRING_TAG = 0x0a;
/** Lengths below this take one byte. */
const SHORT = 0x80;
const DOT = 0x2e;

/** Whether any span or record in it can be one. */
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
 *   attribute = "gen_ai.evaluation.name" 0x12 length 0x0a length "user_feedback" [ "." ... ]
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
