/**
 * A network between a client and a server that a test can disturb. A cut network silently delivers nothing: connections
 * stay open, new ones are accepted and get no data, and neither end learns that the other has gone until the network is
 * restored.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

export interface ProxyOptions {
  /** Sees the server's answers before the client; nothing is passed on if it returns false. */
  readonly passAnswer?: (chunk: Buffer, connection: number) => boolean;
  /** Sees the client's requests before the server. */
  readonly onRequest?: (chunk: Buffer) => void;
}

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #target: () => ProxyTarget;
  readonly #options: ProxyOptions;
  readonly #pairs = new Set<Pair>();
  #isCut = false;
  #delayMs = 0;
  #connections = 0;

  private constructor(server: Server, target: () => ProxyTarget, options: ProxyOptions) {
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#server = server;
    this.#target = target;
    this.#options = options;
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** The target may move: it is looked up for each connection. */
  static async start(target: ProxyTarget | (() => ProxyTarget), options: ProxyOptions = {}): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new TcpProxy(server, typeof target === 'function' ? target : () => target, options);
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** From now on nothing gets through, silently. */
  cut(): void {
    this.#isCut = true;
    for (const pair of this.#pairs) pair.hold();
  }

  /** Data in flight arrive now, as after a retransmission; an end whose peer has gone learns it. */
  heal(): void {
    this.#isCut = false;
    for (const pair of this.#pairs) pair.release();
  }

  /** Each piece takes this much longer, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Ends all connections, like a firewall that has lost its state. */
  reset(): void {
    for (const pair of this.#pairs) pair.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.reset();
    await closed;
  }

  #accept(client: Socket): void {
    const number = this.#connections;
    this.#connections += 1;
    const pair: Pair = new Pair(client, {
      open: () => connect({ ...this.#target(), allowHalfOpen: true, noDelay: true }),
      delayMs: () => this.#delayMs,
      passAnswer: (chunk) => this.#options.passAnswer?.(chunk, number) ?? true,
      onRequest: (chunk) => this.#options.onRequest?.(chunk),
      onGone: () => this.#pairs.delete(pair),
    });
    this.#pairs.add(pair);
    if (!this.#isCut) pair.release();
  }
}

interface PairParts {
  readonly open: () => Socket;
  readonly delayMs: () => number;
  readonly passAnswer: (chunk: Buffer) => boolean;
  readonly onRequest: (chunk: Buffer) => void;
  readonly onGone: () => void;
}

/** One client connection and the one behind it to the server; its data are held until released. */
class Pair {
  readonly #client: Socket;
  readonly #parts: PairParts;
  #upstream: Socket | undefined;
  #isHeld = true;
  #isEnding = false;

  constructor(client: Socket, parts: PairParts) {
    this.#client = client;
    this.#parts = parts;
    client.pause();
    client.on('error', () => this.#gone());
    client.on('close', () => this.#gone());
  }

  hold(): void {
    this.#isHeld = true;
    this.#client.pause();
    this.#upstream?.pause();
  }

  release(): void {
    this.#isHeld = false;
    if (this.#isEnding) {
      this.destroy();
      return;
    }
    if (this.#upstream === undefined) {
      const upstream = this.#parts.open();
      this.#upstream = upstream;
      upstream.on('error', () => this.#gone());
      upstream.on('close', () => this.#gone());
      this.#pass(this.#client, upstream, (chunk) => {
        this.#parts.onRequest(chunk);
        return true;
      });
      this.#pass(upstream, this.#client, this.#parts.passAnswer);
    }
    this.#client.resume();
    this.#upstream.resume();
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream?.destroy();
    this.#parts.onGone();
  }

  #pass(from: Socket, to: Socket, filter: (chunk: Buffer) => boolean): void {
    from.on('data', (chunk: Buffer) => {
      if (!filter(chunk)) return;
      const write = () => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => {
          if (!this.#isHeld) from.resume();
        });
      };
      const ms = this.#parts.delayMs();
      if (ms === 0) write();
      else setTimeout(write, ms);
    });
    from.on('end', () => {
      const ms = this.#parts.delayMs();
      if (ms === 0) to.end();
      else setTimeout(() => to.end(), ms);
    });
  }

  /** One end has gone. The other is notified, unless the network is cut. */
  #gone(): void {
    this.#isEnding = true;
    if (!this.#isHeld) this.destroy();
  }
}
