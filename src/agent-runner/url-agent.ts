/**
 * An agent that listens at a URL: one POST for each turn, with the run as JSON. Over node:http, since `fetch` gives up after five
 * minutes whatever one says, and an agent may take longer.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Json, tryParseJson } from '../model/json.ts';
import { type AgentEnd, type AgentPlace, errorIn, type GivenRun, requestJson } from './agent.ts';
import { OutputStart } from './kept-output.ts';

const ANSWER_BYTES_MAX = 8 << 20;
const SHOWN_MAX = 300;
/** Errors before a connection: the agent has not begun the run, so it can be tried again. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

interface UrlOptions {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
}

export class UrlAgent implements AgentPlace {
  readonly #options: UrlOptions;

  constructor(options: UrlOptions) {
    this.#options = options;
  }

  async run(given: GivenRun, signal: AbortSignal): Promise<AgentEnd> {
    const answers: Json[] = [];
    for (let turn = 1; turn <= given.turns.length; turn++) {
      const reply = await this.#post(given, turn, signal);
      if (reply.is === 'interrupted') return { ended: 'interrupted', answers, lastSaid: '', spans: 'awaited' };
      if (reply.is === 'unanswered') {
        const { because: problem, isUnreachable } = reply;
        return { ended: 'failed', answers, problem, isUnreachable, spans: isUnreachable ? 'lost' : 'awaited' };
      }
      if (reply.status < 200 || reply.status > 299) {
        const shown = reply.text.slice(0, SHOWN_MAX).toWellFormed().trim();
        const problem = `it answered with status ${reply.status}${shown === '' ? '' : `: ${shown}`}`;
        return { ended: 'failed', answers, problem, isUnreachable: false, spans: 'awaited' };
      }
      // A body that is not JSON is a text.
      const json = tryParseJson(reply.text);
      const answer = json === undefined ? reply.text : json;
      answers.push(answer);
      const error = errorIn(answer);
      if (error !== undefined) {
        const problem = `it answered with an error: ${error}`;
        return { ended: 'failed', answers, problem, isUnreachable: false, spans: 'awaited' };
      }
    }
    return { ended: 'answered', answers, spans: 'awaited', oddity: undefined };
  }

  async clear(): Promise<string | undefined> {
    return undefined;
  }

  async stop(): Promise<void> {}

  async #post(given: GivenRun, turn: number, signal: AbortSignal): Promise<Reply> {
    if (signal.aborted) return { is: 'interrupted' };
    const { url, headers } = this.#options;
    const body = Buffer.from(JSON.stringify(requestJson(given, turn)));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    try {
      const request: ClientRequest = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
        method: 'POST',
        signal,
        // A connection that was kept open may be closed by the other side just when the next turn goes out on it.
        agent: false,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          traceparent: given.traceparents[turn - 1] ?? '',
          // An SDK that carries baggage can stamp its spans with it.
          baggage: `gen_ai.conversation.id=${encodeURIComponent(given.conversationId)}`,
          ...headers,
        },
      });
      request.on('response', resolve).on('error', reject).end(body);
      const response = await promise;
      const said = new OutputStart(ANSWER_BYTES_MAX);
      for await (const chunk of response as AsyncIterable<Buffer>) said.add(chunk);
      return { is: 'answered', status: response.statusCode ?? 0, text: said.text() };
    } catch (error) {
      if (signal.aborted) return { is: 'interrupted' };
      const { code, message } = describe(error);
      return { is: 'unanswered', because: `POST ${shown(url)}: ${message}`, isUnreachable: UNREACHABLE.has(code) };
    }
  }
}

type Reply =
  | { readonly is: 'answered'; readonly status: number; readonly text: string }
  | { readonly is: 'unanswered'; readonly because: string; readonly isUnreachable: boolean }
  | { readonly is: 'interrupted' };

function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** A host with several addresses fails with one error for each of them. */
function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message === '' ? code : error.message };
}
