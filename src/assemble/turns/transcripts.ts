/**
 * Collects what the agent and its models were shown of tool calls: requests and results. Decoded only when a span does
 * not tell.
 */
import type { Content, Message, Part, Step } from '../../model/step.ts';
import { canonicalJson } from './canonical-json.ts';
import { NONE } from './span-tree.ts';

export interface ToolRequest {
  readonly by: Step;
  /** Tool spans that answer this request start before this: the next model call of the same agent. */
  readonly beforeMs: number;
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Content;
  /** Which of the calls that the model asked for at once it is, from 0, and of how many. */
  readonly position: number;
  readonly siblings: number;
}

/** Whether the tool ran between the call that asked for it and the next one. */
export function isInWindow(tool: Step, request: ToolRequest): boolean {
  return tool.startedAtMs >= request.by.startedAtMs && tool.startedAtMs < request.beforeMs;
}

/** Agents inside of tools are done within so many calls, mostly; and for each call a hostile trace makes us look. */
const LATER_MAX = 16;

export type ToolResult = Extract<Part, { type: 'tool_result' }>;

export class Transcripts {
  readonly #models: readonly Step[];
  readonly #root: Step;
  readonly #results = new Map<Step, Results>();
  readonly #ids = new Map<Step, ShownIds>();
  readonly #givenIds = new Set<string>();

  constructor(models: readonly Step[], root: Step, requests: readonly ToolRequest[]) {
    this.#models = models;
    this.#root = root;
    for (const { id } of requests) if (id !== undefined) this.#givenIds.add(id);
  }

  /** From the last transcript backwards: it is the fullest. */
  resultOf(request: ToolRequest): ToolResult | undefined {
    for (let at = this.#models.length - 1; at >= 0; at--) {
      const model = this.#models[at];
      if (model === undefined || model.startedAtMs <= request.by.startedAtMs) break;
      const result = this.#of(model).take(request);
      if (result !== undefined) return result;
    }
    const result = this.#root.kind === 'llm' ? undefined : this.#of(this.#root).take(request);
    return result ?? this.#nextResults(request)[request.position];
  }

  /**
   * Some emitters leave the ids out of results. The last item that the next call is shown is then identified by its
   * place.
   */
  #nextResults(request: ToolRequest): readonly ToolResult[] {
    for (const model of this.#models) {
      if (model.startedAtMs <= request.by.startedAtMs || !goesOn(model.messagesIn, request.by.messagesIn)) continue;
      const last = model.messagesIn.findLastIndex(({ role }) => role !== 'tool');
      const parts = model.messagesIn.slice(last + 1).flatMap((message) => message.parts);
      if (parts.length === 0) continue;
      const results = parts.filter((part) => part.type === 'tool_result');
      const isInPlace = results.length === request.siblings && results.every(({ id }) => id === undefined);
      return isInPlace ? results : [];
    }
    return [];
  }

  /**
   * The id that a later model call shows for a call which was asked for without one, or of which only the tool's span
   * tells: streams are often put together without the ids. A result shown to an earlier model call belongs to another
   * call; and the next model call may be one of an agent inside the tool, which is not shown the call.
   */
  callIdOf(call: { readonly name: string; readonly args: Content; readonly startedAtMs: number }): string | undefined {
    if (call.args.state !== 'whole') return undefined;
    const at = this.#models.findIndex((model) => model.startedAtMs > call.startedAtMs);
    if (at === NONE) return undefined;
    const before = this.#models[at - 1];
    const known = before === undefined ? undefined : this.#idsOf(before).all;
    const key = `${call.name} ${canonicalJson(call.args.json)}`;
    for (let later = at; later < this.#models.length && later < at + LATER_MAX; later++) {
      const model = this.#models[later];
      const ids = model === undefined ? undefined : this.#idsOf(model).byCall.get(key);
      if (ids === undefined) continue;
      const id = ids.find((shown) => known?.has(shown) !== true && !this.#givenIds.has(shown));
      if (id !== undefined) this.#givenIds.add(id);
      return id;
    }
    return undefined;
  }

  /** The arguments with which a call was shown to a later model call. */
  argsOf(id: string | undefined): Content | undefined {
    if (id === undefined) return undefined;
    for (const model of this.#models) {
      const args = this.#idsOf(model).args.get(id);
      if (args !== undefined) return args;
    }
    return undefined;
  }

  #idsOf(step: Step): ShownIds {
    const there = this.#ids.get(step);
    if (there !== undefined) return there;
    const ids = shownIds(step.messagesIn);
    this.#ids.set(step, ids);
    return ids;
  }

  #of(step: Step): Results {
    const there = this.#results.get(step);
    if (there !== undefined) return there;
    const messages = step.kind === 'llm' ? step.messagesIn : step.messagesOut;
    const results = new Results(messages.flatMap((message) => message.parts));
    this.#results.set(step, results);
    return results;
  }
}

/** Whether that is the same conversation further on, and not one that a tool had with a model of its own. */
export function goesOn(messages: readonly Message[], before: readonly Message[]): boolean {
  if (messages.length <= before.length) return false;
  const [last, same] = [before.at(-1), messages[before.length - 1]];
  return last === undefined || (last.role === same?.role && said(last) === said(same));
}

function said({ parts }: Message): string {
  return parts.map((part) => (part.type === 'text' ? part.text : part.type)).join();
}

interface ShownIds {
  readonly all: ReadonlySet<string>;
  /** Results by name and arguments of the call. */
  readonly byCall: ReadonlyMap<string, readonly string[]>;
  readonly args: ReadonlyMap<string, Content>;
}

function shownIds(messages: readonly Message[]): ShownIds {
  const all = new Set<string>();
  const byCall = new Map<string, string[]>();
  const args = new Map<string, Content>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== 'tool_call' || part.id === undefined) continue;
      all.add(part.id);
      args.set(part.id, part.args);
      const key = `${part.name} ${canonicalJson(part.args.json)}`;
      const there = byCall.get(key);
      if (there === undefined) byCall.set(key, [part.id]);
      else there.push(part.id);
    }
  }
  return { all, byCall, args };
}

/** The results in a transcript by call id; those without an id by the order of the calls before them. */
export class Results {
  readonly #byId = new Map<string, ToolResult>();
  readonly #unnamed: { readonly name: string; readonly args: string; readonly result: ToolResult }[] = [];

  constructor(parts: readonly Part[]) {
    const open: { readonly name: string; readonly args: string }[] = [];
    for (const part of parts) {
      if (part.type === 'tool_call' && part.id === undefined) {
        open.push({ name: part.name, args: canonicalJson(part.args.json) });
      } else if (part.type === 'tool_result') {
        if (part.id !== undefined) this.#byId.set(part.id, part);
        else this.#answer(open.shift(), part);
      }
    }
  }

  #answer(call: { readonly name: string; readonly args: string } | undefined, result: ToolResult): void {
    if (call !== undefined) this.#unnamed.push({ ...call, result });
  }

  /** A result without an id answers one call only. */
  take(request: ToolRequest): ToolResult | undefined {
    if (request.id !== undefined) return this.#byId.get(request.id);
    const args = canonicalJson(request.args.json);
    const at = this.#unnamed.findIndex((item) => item.name === request.name && item.args === args);
    return at === NONE ? undefined : this.#unnamed.splice(at, 1)[0]?.result;
  }
}
