/** What the agent and its models were shown of tool calls: requests, and results. Decoded only when a span does not tell. */
import type { Content, Part, Step } from '../../model/step.ts';
import { canonicalJson } from './canonical-json.ts';
import { NONE } from './family.ts';

export interface ToolRequest {
  readonly by: Step;
  /** Tool spans that answer this request start before this: the next model call of the same agent. */
  readonly beforeMs: number;
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Content;
}

export type ToolResult = Extract<Part, { type: 'tool_result' }>;

export class Transcripts {
  readonly #models: readonly Step[];
  readonly #root: Step;
  readonly #results = new Map<Step, Results>();

  constructor(models: readonly Step[], root: Step) {
    this.#models = models;
    this.#root = root;
  }

  /** From the last transcript backwards: it is the fullest. */
  resultOf(request: ToolRequest): ToolResult | undefined {
    for (let at = this.#models.length - 1; at >= 0; at--) {
      const model = this.#models[at];
      if (model === undefined || model.startedAtMs <= request.by.startedAtMs) break;
      const result = this.#of(model).take(request);
      if (result !== undefined) return result;
    }
    return this.#root.kind === 'llm' ? undefined : this.#of(this.#root).take(request);
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
