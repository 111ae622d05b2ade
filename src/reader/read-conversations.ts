/**
 * Reads conversations from recorded OTLP: requests in, plain JSON out. Pure: no file is opened and nothing is sent. All of
 * it is in memory; `assay score` reads recordings of any size.
 */
import { conversationIdOf, isAgentWork } from '../assemble/build-conversation.ts';
import { buildTurns } from '../assemble/build-turns.ts';
import { groupConversations } from '../assemble/group-conversations.ts';
import { contentsByTrace } from '../assemble/trace-content.ts';
import { BUILT_IN_PATTERNS, type RedactionRules } from '../model/redaction.ts';
import { UnreadableInput } from '../model/unreadable-input.ts';
import { idKeysOf } from '../normalize/id-keys.ts';
import { identifierKeys } from '../normalize/identifier-keys.ts';
import { normalize } from '../normalize/normalize.ts';
import { RequestRedactor } from '../redact/request-redactor.ts';
import type { PlainConversation } from './plain-conversation.ts';
import {
  isOpenLine,
  type OtlpRequest,
  readProtobufRequest,
  startsLikeJson,
  tryFrames,
  tryReadJsonRequest,
} from './request-bytes.ts';
import { toPlain } from './to-plain.ts';

/** Protobuf, JSON or lines of JSON; an object is JSON that has been parsed. */
type Recorded = Uint8Array | string | object;

interface ReadOptions {
  /** Attributes of your own that hold the conversation's id. */
  readonly conversationKeys?: readonly string[];
  /** Replaces secrets and personal data before anything is read. */
  readonly redact?: Redaction;
}

/** All patterns unless some are named. The same salt gives the same hashes; whoever has it can try values. */
type Redaction = Partial<Pick<RedactionRules, 'patterns' | 'custom' | 'keys'>> & {
  readonly salt: string;
  readonly hashUserIds?: boolean;
};

/** In the order of their start. Traces that are not the work of an agent are left out. */
export function readConversations(
  recorded: Recorded | readonly Recorded[],
  { conversationKeys = [], redact }: ReadOptions = {},
): readonly PlainConversation[] {
  const all: readonly Recorded[] = Array.isArray(recorded) ? recorded : [recorded];
  const requests = all.flatMap((one, place) => requestsIn(one, `recording ${place + 1}`));
  const idKeys = idKeysOf(conversationKeys);
  const turns = contentsByTrace(redact === undefined ? requests : redacted(requests, redact, conversationKeys))
    .map((source) => buildTurns(normalize(source, idKeys)))
    .filter((found) => found.some(isAgentWork));
  return groupConversations(turns.flat(), conversationIdOf).map(toPlain);
}

function requestsIn(recorded: Recorded, place: string): readonly OtlpRequest[] {
  const bytes =
    recorded instanceof Uint8Array
      ? Buffer.from(recorded.buffer, recorded.byteOffset, recorded.byteLength)
      : Buffer.from(typeof recorded === 'string' ? recorded : JSON.stringify(recorded));
  try {
    if (!startsLikeJson(bytes)) return (tryFrames(bytes) ?? [bytes]).map(readProtobufRequest);
    const lines = bytes.toString().split('\n');
    const texts = isOpenLine(Buffer.from(lines[0] ?? '')) ? [bytes.toString()] : lines;
    return texts.filter((text) => text.trim() !== '').map(requestOfJson);
  } catch (error) {
    throw new UnreadableInput(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function requestOfJson(text: string): OtlpRequest {
  const request = tryReadJsonRequest(text);
  if (request === undefined) throw new Error('expected an OTLP export request: resourceSpans or resourceLogs');
  return request;
}

function redacted(
  requests: readonly OtlpRequest[],
  { salt, patterns = BUILT_IN_PATTERNS, custom = [], keys = [], hashUserIds = true }: Redaction,
  conversationKeys: readonly string[],
): readonly OtlpRequest[] {
  const { userIds, identifiers } = identifierKeys({ hashUserIds });
  const redactor = new RequestRedactor({
    ...{ patterns, custom, keys, userIds, salt },
    identifiers: [...conversationKeys, ...identifiers],
  });
  return requests.map(({ signal, bytes }) => ({ signal, bytes: redactor.redact(signal, bytes)?.bytes ?? bytes }));
}
