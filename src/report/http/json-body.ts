/** Reads the body of a request: JSON in UTF-8, of a limited length and depth. */
import type { IncomingMessage } from 'node:http';
import { parseExactly } from '../../model/exact-json.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { type Answer, jsonAnswer, type Unavailable, unavailableAnswer } from './answer.ts';
import type { HeldRequest } from './held-bytes.ts';

const DEPTH_MAX = 200;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAPPING, CLOSE_MAPPING] = Buffer.from('"\\[]{}');

type Refused = { readonly refused: Answer };

interface Limits {
  readonly bodyBytesMax: number;
  /** Room for it. */
  readonly held: Pick<HeldRequest, 'tryGrow'>;
}

/** Value of the body, or the answer that refuses it. Rejects if the client goes away. */
export async function readJsonBody(
  request: IncomingMessage,
  limits: Limits,
): Promise<{ readonly value: unknown } | Refused> {
  const body = await readBodyBytes(request, limits);
  return 'refused' in body ? body : jsonIn(body.value);
}

/** Bytes of a body that is declared as JSON, unparsed. */
export async function readBodyBytes(
  request: IncomingMessage,
  { bodyBytesMax, held }: Limits,
): Promise<{ readonly value: Buffer } | Refused> {
  const refused = refuseContent(request, bodyBytesMax);
  if (refused !== undefined) return { refused };
  const bytes = await readBody(request, bodyBytesMax, held);
  if (bytes === 'too-large') return { refused: tooLarge(bodyBytesMax) };
  return bytes === 'no-room' ? { refused: unavailableAnswer(NO_ROOM) } : { value: bytes };
}

const NO_ROOM: Unavailable = {
  unavailable: 'too many bytes of requests and answers are held already: take the answers, then ask again',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

export function jsonIn(bytes: Uint8Array): { readonly value: unknown } | Refused {
  if (isTooDeep(bytes)) {
    return {
      refused: jsonAnswer(400, { error: `the body is nested deeper than the ${DEPTH_MAX} levels it may have` }),
    };
  }
  try {
    return { value: parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { refused: jsonAnswer(400, { error: `the body is not JSON: ${problem}` }) };
  }
}

/** Recursive readers of a value need a stack frame for each level, and a body can have more levels than frames. */
function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAPPING) {
      if (++depth > DEPTH_MAX) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAPPING) depth--;
  }
  return false;
}

function refuseContent({ headers }: IncomingMessage, bytesMax: number): Answer | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const isUtf8 = parameters.every((one) => !one.startsWith('charset=') || /^charset="?utf-?8"?$/.test(one));
  if (type !== 'application/json' || !isUtf8) {
    const error = `the body must be JSON in UTF-8: content-type: application/json${type === '' ? '' : `, not ${type.slice(0, 100)}`}`;
    return jsonAnswer(415, { error });
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    return jsonAnswer(415, {
      error: `the body must come as it is, without content-encoding: ${encoding.slice(0, 100)}`,
    });
  }
  return Number(headers['content-length'] ?? 0) > bytesMax ? tooLarge(bytesMax) : undefined;
}

function tooLarge(bytesMax: number): Answer {
  return jsonAnswer(413, { error: `the body is larger than the ${bytesMax} bytes that it may have here` });
}

function readBody(
  request: IncomingMessage,
  bytesMax: number,
  held: Limits['held'],
): Promise<Buffer | 'too-large' | 'no-room'> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | 'too-large' | 'no-room'>();
  const chunks: Buffer[] = [];
  let length = 0;
  let isRefused = false;
  // Ends the body to make room. Its client is not done, so the connection is closed as well.
  const giveUp = () => {
    isRefused = true;
    chunks.length = 0;
    request.destroy();
  };
  request.on('data', (chunk: Buffer) => {
    if (isRefused) return;
    length += chunk.length;
    isRefused = length > bytesMax || !held.tryGrow(chunk.length, giveUp);
    if (!isRefused) chunks.push(chunk);
    else {
      chunks.length = 0;
      resolve(length > bytesMax ? 'too-large' : 'no-room');
    }
  });
  request.on('end', () => resolve(Buffer.concat(chunks)));
  request.on('error', reject);
  request.on('close', () => reject(new Error('the client went away')));
  return promise;
}
