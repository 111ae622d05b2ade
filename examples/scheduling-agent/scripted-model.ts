/**
 * A language model with the interface of an API: messages in, an answer or tool calls out, with usage and a finish
 * reason. Inside it is a script. It reads nothing except the messages, so the agent around it is a real one, and a
 * fault changes its output just as a bad release of a prompt or a model would.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { Random } from './random.ts';
import { PEOPLE } from './scenarios.ts';
import type { ToolArguments, ToolName } from './tools.ts';

export interface ModelToolCall {
  readonly id: string;
  readonly name: ToolName;
  readonly arguments: ToolArguments;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: ToolName; readonly result: unknown };

export interface ModelResponse {
  readonly id: string;
  readonly model: string;
  readonly message: Extract<ModelMessage, { readonly role: 'assistant' }>;
  readonly finishReason: 'stop' | 'tool_calls';
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

export class ModelError extends Error {
  readonly status = 500;
  constructor() {
    super('500 The server had an error while processing your request');
    this.name = 'ModelError';
  }
}

const LOOP_LENGTH = 6;

export class ScriptedModel {
  static readonly requested = 'scripted-1';
  static readonly answered = 'scripted-1-2026-03-01';
  readonly #random: Random;
  readonly #fault: Fault | undefined;
  readonly #latencyMs: number;
  #calls = 0;

  constructor(options: { readonly random: Random; readonly fault: Fault | undefined; readonly latencyMs: number }) {
    this.#random = options.random;
    this.#fault = options.fault;
    this.#latencyMs = options.latencyMs;
  }

  async complete(messages: readonly ModelMessage[]): Promise<ModelResponse> {
    await sleep(this.#latencyMs * (0.5 + this.#random.next()));
    const move = this.#decide(messages);
    const toolCalls = (move.calls ?? []).map(([name, args]) => ({ id: this.#id('call'), name, arguments: args }));
    const message = { role: 'assistant', content: move.says ?? '', toolCalls } as const;
    return {
      id: this.#id('resp'),
      model: ScriptedModel.answered,
      message,
      finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      usage: { inputTokens: tokensIn(messages), outputTokens: tokensIn([message]) },
    };
  }

  #decide(messages: readonly ModelMessage[]): Move {
    const wish = wishOf(messages);
    const turn = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
    const results = (name: ToolName) => turn.filter((message) => message.role === 'tool' && message.name === name);
    const availability = results('check_availability').at(-1);
    const fault = this.#fault;

    if (availability === undefined || (fault === 'loop' && results('check_availability').length < LOOP_LENGTH)) {
      const check: Call = ['check_availability', slotOf(wish)];
      if (availability !== undefined || messages.some((message) => message.role === 'tool')) return { calls: [check] };
      const searches = wish.participants.map((person): Call => ['search_calendar', { person, date: wish.date }]);
      return results('search_calendar').length === 0 ? { calls: searches } : { calls: [check] };
    }
    if (!isFree(availability)) return this.#onConflict(wish, results('propose_alternatives').at(-1));
    const booking = results('book_meeting').at(-1);
    if (booking !== undefined) return { says: confirmation(booking) };
    if (wish.onlyAsks) {
      return {
        says: `${wish.participants.join(' and ')} are free on ${wish.date} at ${wish.time.slice(11)}. Shall I book it?`,
      };
    }
    if (fault === 'silent-crash') throw new ModelError();
    return { calls: [['book_meeting', { title: wish.title, ...this.#spoilt(wish) }]] };
  }

  #onConflict(wish: Wish, proposed: ModelMessage | undefined): Move {
    const taken = `Not everybody is free on ${wish.date} at ${wish.time.slice(11)}.`;
    if (this.#fault === 'skip-alternatives') return { says: `${taken} Which other time would you like?` };
    if (proposed === undefined) return { calls: [['propose_alternatives', slotOf(wish)]] };
    const times = alternativesIn(proposed).map((time) => time.slice(11));
    return { says: `${taken} All of you could meet at ${times.join(' or ')} instead. Which one shall I book?` };
  }

  #spoilt(wish: Wish): ToolArguments {
    if (this.#fault === 'wrong-participant') {
      const stranger = this.#random.pick(PEOPLE.filter((person) => !wish.participants.includes(person)));
      return { ...slotOf(wish), participants: [wish.participants[0] ?? stranger, stranger] };
    }
    if (this.#fault === 'wrong-time') {
      const hour = Number(wish.time.slice(11, 13)) + 1;
      return { ...slotOf(wish), time: `${wish.date}T${String(hour).padStart(2, '0')}${wish.time.slice(13)}` };
    }
    return slotOf(wish);
  }

  #id(prefix: string): string {
    this.#calls += 1;
    return `${prefix}_${Math.floor(this.#random.next() * 0xffffffff)
      .toString(16)
      .padStart(8, '0')}${this.#calls}`;
  }
}

type Call = readonly [ToolName, ToolArguments];

interface Move {
  readonly says?: string;
  readonly calls?: readonly Call[];
}

interface Wish {
  readonly title: string;
  readonly participants: readonly string[];
  readonly date: string;
  readonly time: string;
  readonly duration: number;
  readonly onlyAsks: boolean;
}

/** The user's current wish: later messages override earlier ones. */
function wishOf(messages: readonly ModelMessage[]): Wish {
  const said = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  const last = <T>(find: (text: string) => T | undefined) => said.map(find).findLast((found) => found !== undefined);
  const date = last((text) => /\d{4}-\d\d-\d\d/.exec(text)?.[0]) ?? '2026-03-09';
  const clock = last((text) => /\b\d\d:\d\d\b/.exec(text)?.[0]) ?? '10:00';
  const duration = last((text) => /(\d+) minutes/.exec(text)?.[1]);
  return {
    title: last((text) => /"([^"]+)"/.exec(text)?.[1]) ?? 'Meeting',
    participants: PEOPLE.filter((person) => said.some((text) => text.includes(person))),
    date,
    time: `${date}T${clock}`,
    duration: duration === undefined ? 30 : Number(duration),
    onlyAsks: said.at(-1)?.includes("Don't book it yet") ?? false,
  };
}

function slotOf({ participants, time, duration }: Wish): ToolArguments {
  return { participants, time, duration };
}

function member(message: ModelMessage, name: string): unknown {
  const result = message.role === 'tool' ? message.result : undefined;
  return typeof result === 'object' && result !== null ? Reflect.get(result, name) : undefined;
}

function isFree(availability: ModelMessage): boolean {
  return member(availability, 'available') === true;
}

function alternativesIn(proposed: ModelMessage): readonly string[] {
  const times = member(proposed, 'alternatives');
  return Array.isArray(times) ? times.filter((time) => typeof time === 'string') : [];
}

function confirmation(booking: ModelMessage): string {
  const participants = member(booking, 'participants');
  const who = Array.isArray(participants) ? participants.join(' and ') : '';
  const [date, clock] = String(member(booking, 'time')).split('T');
  return (
    `Done: "${String(member(booking, 'title'))}" with ${who} is booked on ${date} at ${clock} for ` +
    `${String(member(booking, 'duration'))} minutes (${String(member(booking, 'meeting_id'))}). ` +
    'Let me know if you would like to change it.'
  );
}

/** Four characters per token, a common estimate. */
function tokensIn(messages: readonly ModelMessage[]): number {
  return Math.ceil(JSON.stringify(messages).length / 4);
}
