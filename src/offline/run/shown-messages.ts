/**
 * An agent that exports no spans may show what it did in its answer, as the messages that model APIs take and give:
 *
 *     { "messages": [ {"role": "user", "content": "…"}, {"role": "assistant", "tool_calls": [ … ]}, {"role": "tool", … }, … ],
 *       "state": …, "agent": "…", "version": "…" }
 *
 * Spans are made of them, by the conventions, and go the way of all others. A command says all turns at once, others one after the other;
 * where somebody gives the whole history each time, what is behind its last message of a user is the turn.
 */
import { createHash } from 'node:crypto';
import type { ExcerptCall, ExcerptTurn } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import { excerptRequest } from '../../score/suite-test/excerpt-request.ts';

import { type RecordedBatch, recordedRequest } from '../recording.ts';

export interface ShownRun {
  /** As the agent was asked. */
  readonly turns: readonly Json[];
  /** One for all turns, or one for each. */
  readonly answers: readonly Json[];
  readonly conversationId: string;
  readonly startedAtMs: number;
}

/** Undefined where no answer has messages. */
export function spansOfMessages(run: ShownRun): readonly RecordedBatch[] | undefined {
  const { answers, conversationId, startedAtMs } = run;
  if (!answers.some((answer) => messagesIn(answer) !== undefined)) return undefined;
  const forAll = answers.length === 1;
  const turns = answers.flatMap((answer, index) => {
    const given = run.turns[index];
    const messages = messagesIn(answer);
    if (messages === undefined) return [turnOf([], { given, answer: textOf(answer), state: undefined })];
    const parts = turnsIn(messages);
    const wanted = forAll ? parts : parts.slice(-1);
    return wanted.map((part, at) => {
      const state = at === wanted.length - 1 ? member(answer, 'state') : undefined;
      return turnOf(part, { given: forAll ? run.turns[at] : given, answer: undefined, state });
    });
  });
  const excerpt = {
    is: 'excerpt',
    agent: lastText(answers, 'agent'),
    version: lastText(answers, 'version'),
    environment: undefined,
    attributes: new Map(),
    state: undefined,
    turns,
  } as const;
  const traceIdOf = (turn: number) => createHash('md5').update(`${conversationId}/${turn}`).digest('hex');
  const request = excerptRequest(excerpt, undefined, { conversationId, traceIdOf, startedAtMs });
  return recordedRequest(request, "the agent's messages");
}

type Message = { readonly [key: string]: Json };

function messagesIn(answer: Json): readonly Message[] | undefined {
  const messages = member(answer, 'messages');
  return Array.isArray(messages) ? messages.filter(isObject) : undefined;
}

/** Each begins with what the user says. */
function turnsIn(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue;
    const current = turns.at(-1);
    if (message.role === 'user' || current === undefined) turns.push([message]);
    else current.push(message);
  }
  return turns.length === 0 ? [[]] : turns;
}

function turnOf(
  messages: readonly Message[],
  known: { readonly given: Json | undefined; readonly answer: string | undefined; readonly state: Json | undefined },
): ExcerptTurn {
  const results = new Map<Json, Json>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.tool_call_id ?? '', parsed(textOf(message.content)));
  }
  const said = messages.find(({ role }) => role === 'user');
  const last = messages.findLast(({ role }) => role === 'assistant');
  const isAnswer = last !== undefined && callsIn(last).length === 0;
  return {
    user: said === undefined ? textOf(known.given) : textOf(said.content),
    calls: messages
      .map((message) => callsIn(message).map((call) => callOf(call, results)))
      .filter((group) => group.length > 0),
    answer: known.answer ?? (isAnswer ? textOf(last.content) : undefined),
    error: undefined,
    finish: 'stop',
    state: known.state,
  };
}

function callsIn(message: Message): readonly Message[] {
  const calls = message.role === 'assistant' ? message.tool_calls : undefined;
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}

function callOf(call: Message, results: ReadonlyMap<Json, Json>): ExcerptCall {
  const named = isObject(call.function) ? call.function : call;
  const args = named.arguments ?? {};
  return {
    tool: typeof named.name === 'string' ? named.name : 'unknown',
    args: typeof args === 'string' ? parsed(args) : args,
    result: results.get(call.id ?? ''),
    error: undefined,
  };
}

/** Of a text, of parts of a message, or of whatever else was given. */
function textOf(content: Json | undefined): string | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((part: Json) => member(part, 'text') ?? '').join('');
}

function parsed(text: string | undefined): Json {
  if (text === undefined) return '';
  try {
    // The cast is what JSON.parse gives.
    return JSON.parse(text) as Json;
  } catch {
    // Tools answer with texts as well.
    return text;
  }
}

function lastText(answers: readonly Json[], name: string): string | undefined {
  return answers.map((answer) => member(answer, name)).findLast((value) => typeof value === 'string');
}

function member(value: Json, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: Json | undefined): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
