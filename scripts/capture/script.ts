/**
 * A scenario made playable: every model call of every turn in order, each with its answer, ids and usage. All of it is
 * derived from the names alone, so that a capture can be repeated and its expected file compared.
 */
import { createHash } from 'node:crypto';
import type { Scenario, ScriptedCall, ScriptedStep } from './scenarios.ts';

export interface PlayedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Usage {
  /** With cached tokens, as OpenAI counts. */
  readonly input: number;
  /** With reasoning tokens. */
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
}

export type Reply =
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly text: string;
      readonly calls: readonly PlayedCall[];
      readonly usage: Usage;
    }
  | { readonly kind: 'error'; readonly status: number; readonly message: string };

export interface ToolOutcome {
  readonly id: string;
  readonly step: number;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: string;
  readonly killed?: true;
  readonly ends_turn?: true;
  readonly parallel?: true;
  readonly subagent?: true;
  readonly inside_subagent?: true;
}

export type TurnError =
  | { readonly kind: 'llm_http_error'; readonly status: number; readonly message: string }
  | { readonly kind: 'tool_exception'; readonly message: string }
  | { readonly kind: 'process_exit_in_tool' };

export interface PlayedTurn {
  readonly user: string;
  readonly finalAnswer: string | null;
  readonly error: TurnError | undefined;
  readonly replies: readonly Reply[];
  readonly tools: readonly ToolOutcome[];
  readonly handoffs: readonly string[];
}

/** The counts that a provider reports: the others are zero in the script too. */
export interface Reported {
  readonly reasoning: boolean;
}

export function playable(name: string, scenario: Scenario, reported: Reported): readonly PlayedTurn[] {
  const player = new Player(name, reported);
  return scenario.turns.map((turn) => player.play(turn.user, turn.steps));
}

class Player {
  readonly #name: string;
  readonly #reported: Reported;
  #calls = 0;
  #history = 160;

  constructor(name: string, reported: Reported) {
    this.#name = name;
    this.#reported = reported;
  }

  play(user: string, steps: readonly ScriptedStep[]): PlayedTurn {
    const replies: Reply[] = [];
    const tools: ToolOutcome[] = [];
    const handoffs: string[] = [];
    this.#history += tokensIn(user);
    this.#playSteps(steps, { replies, tools, handoffs, isInside: false });
    const last = steps.at(-1);
    return {
      user,
      finalAnswer: last !== undefined && 'answer' in last ? last.answer : null,
      error: errorOf(last),
      replies,
      tools,
      handoffs,
    };
  }

  #playSteps(steps: readonly ScriptedStep[], into: Into): void {
    for (const step of steps) {
      if ('httpError' in step) {
        into.replies.push({ kind: 'error', status: step.httpError, message: step.message });
      } else if ('answer' in step) {
        into.replies.push(this.#reply(step.answer, [], step));
      } else if ('handOffTo' in step) {
        into.handoffs.push(step.handOffTo);
        const call = { id: this.#callId(), name: `transfer_to_${step.handOffTo}`, args: {} };
        into.replies.push(this.#reply('', [call], {}));
      } else this.#playCalls(step.calls, step.says ?? '', into);
    }
  }

  #playCalls(calls: readonly ScriptedCall[], says: string, into: Into): void {
    const asked = calls.map((call) => ({ call, id: this.#callId() }));
    const step = into.replies.length;
    into.replies.push(
      this.#reply(
        says,
        asked.map(({ call, id }) => ({ id, name: call.tool, args: call.args })),
        {},
      ),
    );
    for (const { call, id } of asked) {
      into.tools.push({
        step,
        id,
        name: call.tool,
        args: call.args,
        ...(call.error === undefined ? { result: call.result ?? null } : { error: call.error }),
        ...(call.kills === true ? { killed: true as const } : {}),
        ...(call.ends === true ? { ends_turn: true as const } : {}),
        ...(calls.length > 1 ? { parallel: true as const } : {}),
        ...(call.inside === undefined ? {} : { subagent: true as const }),
        ...(into.isInside ? { inside_subagent: true as const } : {}),
      });
      this.#history += tokensIn(JSON.stringify(call.result ?? call.error ?? null));
      if (call.inside !== undefined) this.#playSteps(call.inside, { ...into, isInside: true });
    }
  }

  #reply(
    text: string,
    calls: readonly PlayedCall[],
    extra: { readonly cachedTokens?: number; readonly reasoningTokens?: number },
  ): Reply {
    const reasoning = this.#reported.reasoning ? (extra.reasoningTokens ?? 0) : 0;
    const output = tokensIn(text) + tokensIn(JSON.stringify(calls)) + reasoning;
    // The cached part never exceeds the input.
    const input = this.#history;
    const cached = Math.min(extra.cachedTokens ?? 0, input - 1);
    this.#history += output;
    this.#calls += 1;
    const id = digest(`${this.#name} reply ${this.#calls}`).slice(0, 24);
    return { kind: 'answer', id, text, calls, usage: { input, output, cached, reasoning } };
  }

  #asked = 0;
  #callId(): string {
    this.#asked += 1;
    return `call_${digest(`${this.#name} call ${this.#asked}`).slice(0, 16)}`;
  }
}

function errorOf(last: ScriptedStep | undefined): TurnError | undefined {
  if (last === undefined) return undefined;
  if ('httpError' in last) return { kind: 'llm_http_error', status: last.httpError, message: last.message };
  const calls = 'calls' in last ? last.calls : [];
  if (calls.some(({ kills }) => kills === true)) return { kind: 'process_exit_in_tool' };
  const thrown = calls.find(({ ends }) => ends === true)?.error;
  return thrown === undefined ? undefined : { kind: 'tool_exception', message: thrown.replace(/^\w+: /, '') };
}

interface Into {
  readonly replies: Reply[];
  readonly tools: ToolOutcome[];
  readonly handoffs: string[];
  readonly isInside: boolean;
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4) + 3;
}
