/**
 * A conversation that was recorded as messages, one to a line of JSON:
 *
 *     {"conversation_id": "7-1", "case": "7", "messages": [{"role": "user", "content": "…"}, …], "truth": {…}}
 *
 *     conversation_id, id   what it is called; the place in the file unless given
 *     messages              in the form of OpenAI's or Anthropic's chat API; ids of tool calls may come twice. An unknown role is refused
 *     case                  the attribute `assay.scenario.id`: what an experiment and a file of truth find it by
 *     agent, version, environment, attributes, state, truth
 *     user                  the attribute `user.id`
 *     started_at            ISO 8601. Without it the times are made up, in the order of the lines
 *
 * Other fields are not looked at. Spans are made of it, by the conventions, and go the way of all others.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../model/json.ts';
import { SCENARIO_ATTRIBUTE } from '../../model/marks.ts';
import { EXAMPLE_START_MS, excerptRequest } from '../../score/suite-test/excerpt-request.ts';
import { checkMessages } from './read-messages.ts';
import { instructionsIn, member, messagesIn, splitIntoTurns, turnOf } from './turns-of-messages.ts';

const USER_ATTRIBUTE = 'user.id';
const TURN_EVERY_MS = 60_000;
/** A service calls the clock wrong where turns are ten minutes ahead, and the file may be new. */
const TURNS_MS = 300_000;
const CONVERSATION_EVERY_MS = 3_600_000;

interface RecordedLine {
  readonly value: Json;
  /** Name of the file, for a conversation without an id. */
  readonly place: string;
  readonly lineNumber: number;
  /** The beginning of conversations without a time; a made-up one, for those that are only scored. */
  readonly untimedFrom?: number | undefined;
}

/** An OTLP/JSON export request; undefined where the value holds no messages. Throws where a field is of the wrong form. */
export function requestOfMessages({ value, place, lineNumber, untimedFrom }: RecordedLine): string | undefined {
  const messages = messagesIn(value);
  if (messages === undefined) return undefined;
  const conversationId = conversationIdOf(value) ?? place;
  const parts = splitIntoTurns(messages);
  const state = member(value, 'state');
  const started = startIn(value);
  const excerpt = {
    is: 'excerpt',
    agent: textIn(value, 'agent'),
    version: idIn(value, 'version'),
    environment: textIn(value, 'environment'),
    attributes: attributesIn(value),
    instructions: instructionsIn(messages),
    state,
    turns: parts.map((part) => turnOf(part)),
  } as const;
  const request = excerptRequest(excerpt, member(value, 'truth'), {
    conversationId,
    traceIdOf: (turn) => createHash('md5').update(`${place}/${conversationId}/${turn}`).digest('hex'),
    startedAtMs:
      started ??
      (untimedFrom === undefined ? EXAMPLE_START_MS + lineNumber * CONVERSATION_EVERY_MS : untimedFrom + lineNumber),
    turnEveryMs:
      started !== undefined || untimedFrom === undefined ? undefined : Math.min(TURN_EVERY_MS, TURNS_MS / parts.length),
  });
  const written = member(value, 'messages');
  if (Array.isArray(written)) checkMessages(written);
  return request;
}

/** Undefined where the line does not name the conversation. */
export function conversationIdOf(value: Json): string | undefined {
  return idIn(value, 'conversation_id') ?? idIn(value, 'id');
}

function attributesIn(value: Json): ReadonlyMap<string, string | number | boolean> {
  const given = member(value, 'attributes') ?? {};
  const attributes = new Map<string, string | number | boolean>();
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error('`attributes` is no mapping: expected names with texts, numbers, true or false');
  }
  for (const [name, one] of Object.entries(given)) {
    if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean') {
      throw new Error(`the attribute ${JSON.stringify(name)} is neither a text nor a number, true or false`);
    }
    attributes.set(name, one);
  }
  const named = idIn(value, 'case');
  if (named !== undefined) attributes.set(SCENARIO_ATTRIBUTE, named);
  const user = member(value, 'user');
  // Other writers put a mapping there.
  if (typeof user === 'string' || typeof user === 'number') attributes.set(USER_ATTRIBUTE, String(user));
  return attributes;
}

/** Ids and versions are numbers in many files; a person means the text. */
function idIn(value: Json, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'number' ? String(found) : textIn(value, name);
}

function textIn(value: Json, name: string): string | undefined {
  const found = member(value, name) ?? undefined;
  if (found === undefined || typeof found === 'string') return found;
  throw new Error(`\`${name}\` is no text`);
}

function startIn(value: Json): number | undefined {
  const written = textIn(value, 'started_at');
  if (written === undefined) return undefined;
  const ms = Date.parse(written);
  if (Number.isNaN(ms)) throw new Error('`started_at` is no time: expected ISO 8601, such as 2026-03-02T10:00:00Z');
  return ms;
}
