/**
 * `GET /api/v1/live`: reports to browsers which conversations this instance has just evaluated, as server-sent events. It is
 * a sign to look again, and no record: what a client misses is in the store.
 *
 *   event: conversation   at most one a second, with the first conversations of that second and the number of others
 *   event: heartbeat      after a while without any, so that both ends and what is between them notice a dead connection
 *
 * Bounds: a number of clients. When all places are taken, the longest connected client of the address that has most gives
 * way. It does so at once for an address that has fewer, and for everybody after a minute, whether it reads or not.
 * Otherwise the answer is 429. A client that takes nothing is dropped once what waits for it no longer fits into the
 * buffers of the system. Each connection ends after a while, so that the browser connects again and its permission is
 * checked again.
 */
import type { ServerResponse } from 'node:http';
import type { LiveConversations } from '../../api/live.ts';
import type { AnyEvent } from '../../model/events/any-event.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';

const CLIENTS_MAX = 20;
const NAMED_MAX = 50;
const GATHERED_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const LIFETIME_MS = 15 * 60_000;
const PLACE_MS = 60_000;
const TAKEN_WITHIN_MS = 10_000;
const UNTAKEN_BYTES_MAX = 64 << 10;
const RETRY_AFTER_SECONDS = 10;

interface LiveTimes {
  readonly gatheredMs: number;
  readonly heartbeatMs: number;
  readonly lifetimeMs: number;
  /** A client has its place for so long although others of no larger address wait. */
  readonly placeMs: number;
  /** A client that has not taken what it was sent after so long is dropped. */
  readonly takenWithinMs: number;
}

interface Client {
  readonly from: string;
  readonly since: number;
  readonly end: NodeJS.Timeout;
  /** While it does not take what it was sent. */
  late?: NodeJS.Timeout | undefined;
}

const TIMES: LiveTimes = {
  gatheredMs: GATHERED_MS,
  heartbeatMs: HEARTBEAT_MS,
  lifetimeMs: LIFETIME_MS,
  placeMs: PLACE_MS,
  takenWithinMs: TAKEN_WITHIN_MS,
};

export class LiveEvents {
  readonly #times: LiveTimes;
  /** In the order in which they came. */
  readonly #clients = new Map<ServerResponse, Client>();
  #gathered: LiveConversations['conversations'][number][] = [];
  #leftOut = 0;
  #sending: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(times: Partial<LiveTimes> = {}) {
    this.#times = { ...TIMES, ...times };
  }

  get clients(): number {
    return this.#clients.size;
  }

  note(event: AnyEvent): void {
    if (event.type !== 'conversation-evaluated' || this.#clients.size === 0) return;
    const { conversation, revision } = event;
    if (this.#gathered.length < NAMED_MAX)
      this.#gathered.push({ conversation_id: conversation, at: new Date().toISOString(), revision });
    else this.#leftOut += 1;
    this.#sending ??= setTimeout(() => this.#sendGathered(), this.#times.gatheredMs);
  }

  /** `from` is the client that places are shared by. */
  answer({ from }: { readonly from: string }): Answer {
    if (this.#isStopped) return refusal(503, 'this instance is stopping');
    if (!this.#hasPlaceFor(from))
      return refusal(429, `${CLIENTS_MAX} clients are connected already: ask GET /api/v1/conversations instead`);
    return { status: 200, type: 'text/event-stream', body: '', stream: (response) => this.#admit(response, from) };
  }

  /** Ends all connections. May be called twice. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#sending);
    for (const response of [...this.#clients.keys()]) this.#drop(response);
  }

  #hasPlaceFor(from: string): boolean {
    return this.#clients.size < CLIENTS_MAX || this.#givingWayTo(from) !== undefined;
  }

  #givingWayTo(from: string): ServerResponse | undefined {
    const byAddress = Map.groupBy(this.#clients, ([, client]) => client.from);
    const own = byAddress.get(from)?.length ?? 0;
    const most = Math.max(...[...byAddress.values()].map(({ length }) => length));
    const hadTurn = performance.now() - this.#times.placeMs;
    const [found] = [...this.#clients].filter(
      ([, client]) =>
        byAddress.get(client.from)?.length === most && (most > own + 1 || (most >= own && client.since <= hadTurn)),
    );
    return found?.[0];
  }

  #admit(response: ServerResponse, from: string): void {
    // Others may have been admitted since the answer.
    if (this.#isStopped || !this.#hasPlaceFor(from)) {
      response.end();
      return;
    }
    const giving = this.#clients.size < CLIENTS_MAX ? undefined : this.#givingWayTo(from);
    if (giving !== undefined) this.#drop(giving);
    const end = setTimeout(() => this.#drop(response), this.#times.lifetimeMs);
    this.#clients.set(response, { from, since: performance.now(), end });
    response.once('close', () => this.#forget(response));
    // A browser waits as long before it connects again.
    response.write(`retry: ${RETRY_AFTER_SECONDS * 1000}\n\n`);
    this.#heartbeat ??= setInterval(() => this.#send('heartbeat', {}), this.#times.heartbeatMs);
  }

  #sendGathered(): void {
    this.#sending = undefined;
    const data: LiveConversations = {
      at: new Date().toISOString(),
      conversations: this.#gathered,
      left_out: this.#leftOut,
    };
    this.#gathered = [];
    this.#leftOut = 0;
    this.#send('conversation', data);
    this.#heartbeat?.refresh();
  }

  #send(event: string, data: unknown): void {
    const text = `event: ${event}\ndata: ${visibleJson(data)}\n\n`;
    for (const response of [...this.#clients.keys()]) {
      if (response.writableLength > UNTAKEN_BYTES_MAX) response.destroy();
      else if (!response.write(text)) this.#expectTaken(response);
    }
  }

  #expectTaken(response: ServerResponse): void {
    const client = this.#clients.get(response);
    if (client === undefined || client.late !== undefined) return;
    client.late = setTimeout(() => response.destroy(), this.#times.takenWithinMs);
    response.once('drain', () => {
      clearTimeout(client.late);
      client.late = undefined;
    });
  }

  #drop(response: ServerResponse): void {
    response.end();
    this.#forget(response);
    // A client that reads nothing does not read the end either.
    setTimeout(() => response.destroy(), this.#times.takenWithinMs).unref();
  }

  #forget(response: ServerResponse): void {
    const client = this.#clients.get(response);
    clearTimeout(client?.end);
    clearTimeout(client?.late);
    this.#clients.delete(response);
    if (this.#clients.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#gathered = [];
    this.#leftOut = 0;
  }
}

function refusal(status: number, error: string): Answer {
  return jsonAnswer(status, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}
