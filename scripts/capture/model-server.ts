/**
 * Plays a script: answers each model call with the next reply of the turn that the driver announced, whatever the
 * request. An error reply is repeated, because clients retry; every other reply is sent once. Calls that offer no tools
 * although the agent has some (a title, a quota check) are not part of the script: they get a short text and do not
 * count.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { APIS } from './apis/apis.ts';
import type { ModelApi, Request } from './apis/api.ts';
import { asksForFields, type FieldsAsked, inFields } from './dspy-fields.ts';
import type { PlayedTurn, Reply } from './script.ts';

export interface Served {
  readonly turn: number;
  readonly reply: Reply;
}

const SCRIPT_IS_OVER = { kind: 'error', status: 400, message: 'the script is over' } as const;

/** Long enough for spans to have a duration, short enough to wait for. */
const THINKING_MS = 15;

export class ScriptedModel {
  readonly #turns: readonly PlayedTurn[];
  #turn = -1;
  #next = 0;
  readonly complaints: string[] = [];
  /** Every reply as it was sent, in order. */
  readonly served: Served[] = [];

  constructor(turns: readonly PlayedTurn[]) {
    this.#turns = turns;
  }

  beginTurn(index: number): void {
    this.#turn = index;
    this.#next = 0;
  }

  /** How much of the turn was requested: a driver that stops early has not played the scenario. */
  endTurn(): void {
    const wanted = this.#turns[this.#turn]?.replies.length ?? 0;
    const isError = this.#turns[this.#turn]?.error !== undefined;
    if (this.#next < (isError ? wanted - 1 : wanted)) {
      this.complaints.push(`turn ${this.#turn}: ${this.#next} of ${wanted} model calls were made`);
    }
  }

  async answer(incoming: IncomingMessage, path: string, body: Buffer, response: ServerResponse): Promise<boolean> {
    const api = APIS.find(({ isAsked }) => isAsked(path));
    if (api === undefined || incoming.method !== 'POST') return false;
    const request: Request = JSON.parse(body.toString());
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
    const reply = this.#replyTo(request);
    this.served.push({ turn: this.#turn, reply });
    if (reply.kind === 'error') {
      response.writeHead(reply.status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
      response.end(JSON.stringify(api.error(reply.status, reply.message)));
    } else send(api, reply, { isStreamed: api.isStreamed(path, request) }, response);
    return true;
  }

  /** DSPy asks for one tool at a time, then for `finish`, then for the answer. */
  #replyInFields(asked: FieldsAsked): Reply {
    const reply = this.#turns[this.#turn]?.replies[this.#next];
    if (reply === undefined || reply.kind === 'error') return reply ?? SCRIPT_IS_OVER;
    const isFinish = asked === 'tool' && reply.calls.length === 0;
    if (!isFinish) this.#next += 1;
    return inFields(reply, asked);
  }

  #replyTo(request: Request): Reply {
    const offersTools = Array.isArray(request.tools) && request.tools.length > 0;
    const fields = asksForFields(request.messages);
    if (fields !== undefined) return this.#replyInFields(fields);
    if (!offersTools) {
      return {
        kind: 'answer',
        id: 'aside',
        text: 'ok',
        calls: [],
        usage: { input: 5, output: 1, cached: 0, reasoning: 0 },
      };
    }
    const reply = this.#turns[this.#turn]?.replies[this.#next];
    if (reply === undefined) {
      this.complaints.push(`turn ${this.#turn}: model call ${this.#next + 1} is not in the script`);
      return SCRIPT_IS_OVER;
    }
    if (reply.kind === 'answer') this.#next += 1;
    return asFinalAnswer(asOffered(reply, offeredNames(request.tools)), request.tools);
  }
}

/** Some frameworks offer a tool under their own name for it: `mcp__office__look` for `look`. */
function asOffered(reply: Reply, offered: readonly string[]): Reply {
  if (reply.kind === 'error') return reply;
  const calls = reply.calls.map((call) => {
    if (offered.includes(call.name)) return call;
    const target = /^transfer_to_(.+)$/.exec(call.name)?.[1];
    if (target !== undefined && offered.includes('transfer_to_agent'))
      return { ...call, name: 'transfer_to_agent', args: { agent_name: target } };
    if (target !== undefined && offered.includes('handoff'))
      return { ...call, name: 'handoff', args: { to_agent: target, reason: 'It knows more.' } };
    return { ...call, name: offered.find((item) => item.endsWith(`__${call.name}`)) ?? call.name };
  });
  return { ...reply, calls };
}

function offeredNames(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap(({ name, function: described, functionDeclarations = [] }) => [
    ...(name === undefined ? [] : [name]),
    ...(described === undefined ? [] : [described.name]),
    ...functionDeclarations.map((declared: { readonly name: string }) => declared.name),
  ]);
}

/** Some agents expect the answer through a tool, `final_answer`, whose one argument is the text. */
function asFinalAnswer(reply: Reply, tools: unknown): Reply {
  if (reply.kind === 'error' || reply.calls.length > 0 || !Array.isArray(tools)) return reply;
  for (const offered of tools) {
    const { name, parameters, input_schema } = offered.function ?? offered;
    if (name !== FINAL_ANSWER) continue;
    const [argument = 'response'] = Object.keys((parameters ?? input_schema)?.properties ?? {});
    const call = { id: `call_${reply.id.slice(0, 16)}`, name: FINAL_ANSWER, args: { [argument]: reply.text } };
    return { ...reply, text: '', calls: [call] };
  }
  return reply;
}

const FINAL_ANSWER = 'final_answer';

function send(
  api: ModelApi,
  reply: Extract<Reply, { readonly kind: 'answer' }>,
  { isStreamed }: { readonly isStreamed: boolean },
  response: ServerResponse,
): void {
  const answer = { ...reply, model: api.respondedModel };
  if (!isStreamed) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(api.whole(answer)));
    return;
  }
  if (api.linesOnly === true) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(
      api
        .stream(answer)
        .map(({ data }) => `${JSON.stringify(data)}\n`)
        .join(''),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, data } of api.stream(answer)) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  }
  if (api.endOfStream !== undefined) response.write(`data: ${api.endOfStream}\n\n`);
  response.end();
}
