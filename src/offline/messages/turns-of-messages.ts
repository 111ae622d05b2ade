/**
 * Turns of a conversation from its messages, in the form of OpenAI's chat API or one that `read-messages.ts` knows. A message of the user begins a turn.
 *
 * A result belongs to a call before it. Models use one id for several calls, so it is the last such call that counts: of the calls with
 * this id that one model call asked for together, the first without a result. A result without an id belongs to the first call without
 * a result.
 */
import type { ExcerptCall, ExcerptModelCall, ExcerptTurn } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import { inOneForm, type Message } from './read-messages.ts';

interface KnownOfTurn {
  /** The request, where no message has it. */
  readonly given?: Json | undefined;
  /** The answer, where it is not among the messages. */
  readonly answer?: string | undefined;
  readonly state?: Json | undefined;
}

/** Undefined where it has no list of messages. */
export function messagesIn(value: Json): readonly Message[] | undefined {
  const messages = member(value, 'messages');
  return Array.isArray(messages) ? inOneForm(messages.filter(isMapping)) : undefined;
}

/** The messages of each turn, without those that instruct the agent; one turn without messages where there are none. */
export function splitIntoTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    if (isInstruction(message)) continue;
    const current = turns.at(-1);
    if (message.role === 'user' || current === undefined) turns.push([message]);
    else current.push(message);
  }
  return turns.length === 0 ? [[]] : turns;
}

/** Instructions to the agent, from the system or the developer. */
export function instructionsIn(messages: readonly Message[]): string | undefined {
  const texts = messages.filter(isInstruction).map(({ content }) => textOf(content) ?? '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

export function turnOf(messages: readonly Message[], { given, answer, state }: KnownOfTurn = {}): ExcerptTurn {
  const said = messages.find(({ role }) => role === 'user');
  const last = messages.at(-1);
  const isAnswer = last?.role === 'assistant' && callsIn(last).length === 0;
  const spoken = messages.filter(({ role }) => role === 'assistant');
  const groups = callGroupsIn(messages);
  const models = factsIn(spoken);
  const asking = isAnswer ? spoken.slice(0, -1) : spoken;
  return {
    user: said === undefined ? textOf(given) : textOf(said.content),
    calls: models === undefined ? [...groups.values()] : asking.map((_, place) => groups.get(place) ?? []),
    ...(models !== undefined && { models }),
    answer: answer ?? (isAnswer ? textOf(last.content) : undefined),
    error: undefined,
    // Messages do not say how a model call ended.
    finish: undefined,
    state,
  };
}

interface OpenCall {
  readonly id: Json | undefined;
  readonly group: number;
  readonly call: Omit<ExcerptCall, 'result'>;
  result: Json | undefined;
}

/** Calls by the place of the message that asked for them, among those of the assistant. */
function callGroupsIn(messages: readonly Message[]): ReadonlyMap<number, readonly ExcerptCall[]> {
  const calls: OpenCall[] = [];
  let group = 0;
  for (const message of messages) {
    if (message.role === 'tool') {
      const call = callFor(message.tool_call_id, calls);
      if (call !== undefined) call.result = parsed(textOf(message.content));
      continue;
    }
    if (message.role !== 'assistant') continue;
    const asked = callsIn(message);
    const said = asked.length === 0 ? undefined : textOf(message.content);
    for (const [place, call] of asked.entries()) {
      calls.push({ id: call.id, group, call: callOf(call, place === 0 ? said : undefined), result: undefined });
    }
    group += 1;
  }
  const groups = Map.groupBy(calls, (call) => call.group);
  return new Map(
    [...groups].map(([place, made]) => [
      place,
      made.map(({ call, result }) => ({ ...call, result, isOpen: result === undefined })),
    ]),
  );
}

/** Fields of a message that trajectories have beside it; undefined where no message has any of them. */
function factsIn(spoken: readonly Message[]): readonly ExcerptModelCall[] | undefined {
  if (!spoken.some(({ usage, model, timestamp }) => usage ?? model ?? timestamp)) return undefined;
  return spoken.map(({ usage = null, model, timestamp, reasoning_content: reasoning, content }) => {
    const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    return {
      startedAtMs: Number.isNaN(at) ? undefined : at,
      said: textOf(content),
      reasoning: textOf(reasoning),
      model: textOf(model),
      inputTokens: numberIn(usage, 'prompt_tokens'),
      outputTokens: numberIn(usage, 'completion_tokens'),
      cachedTokens: numberIn(usage, 'cached_tokens'),
      costUsd: numberIn(usage, 'cost_usd'),
    };
  });
}

function numberIn(value: Json, name: string): number | undefined {
  const found = member(value, name);
  return typeof found === 'number' ? found : undefined;
}

function callFor(id: Json | undefined, calls: readonly OpenCall[]): OpenCall | undefined {
  const isOpen = ({ result }: OpenCall) => result === undefined;
  if (id === undefined || id === null) return calls.find(isOpen);
  const last = calls.findLast((call) => call.id === id);
  return calls.find((call) => call.id === id && call.group === last?.group && isOpen(call)) ?? last;
}

function callsIn(message: Message): readonly Message[] {
  const calls = message.role === 'assistant' ? message.tool_calls : undefined;
  return Array.isArray(calls) ? calls.filter(isMapping) : [];
}

function callOf(call: Message, said: string | undefined): OpenCall['call'] {
  const named = isMapping(call.function) ? call.function : call;
  const args = named.arguments ?? {};
  return {
    tool: typeof named.name === 'string' ? named.name : 'unknown',
    args: typeof args === 'string' ? parsed(args) : args,
    error: undefined,
    ...(said !== undefined && said !== '' && { said }),
  };
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Reads a text, parts of a message, or any other value. */
export function textOf(content: Json | undefined): string | undefined {
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

export function member(value: Json, name: string): Json | undefined {
  return isMapping(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isMapping(value: Json | undefined): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
