/**
 * The tokens that are valid now, from all places where they are kept. Each place is polled, so that a token
 * works, or stops working, without a restart. A place that cannot be read keeps what was last read of it: an
 * unreachable database must not lock everybody out. So a revocation holds once the place can be read again.
 */
import { stat } from 'node:fs/promises';
import type { KeptToken, TokenStore } from '../model/access.ts';
import type { AccessEvent } from '../model/events/access-events.ts';
import { isMissing } from './token-file.ts';
import { hashOf, isSameHash } from './token.ts';

export interface TokenSource {
  /** For people. */
  readonly name: string;
  readonly everyMs: number;
  /** Undefined where nothing has changed since it was last asked. */
  read(): Promise<readonly KeptToken[] | undefined>;
}

interface TokenChange {
  readonly added: readonly KeptToken[];
  readonly removed: readonly KeptToken[];
}

export class TokenList {
  readonly #sources: readonly TokenSource[];
  readonly #onEvent: (event: AccessEvent) => void;
  readonly #onChange: (change: TokenChange) => void;
  readonly #read = new Map<TokenSource, readonly KeptToken[]>();
  readonly #unreadable = new Set<TokenSource>();
  #byHash: ReadonlyMap<string, KeptToken> = new Map();
  #timers: NodeJS.Timeout[] = [];

  constructor(
    sources: readonly TokenSource[],
    on: { readonly event: (event: AccessEvent) => void; readonly change: (change: TokenChange) => void },
  ) {
    this.#sources = sources;
    this.#onEvent = on.event;
    this.#onChange = on.change;
  }

  /** Reads all sources once, then polls them. */
  async start(): Promise<void> {
    await Promise.all(this.#sources.map((source) => this.#refresh(source)));
    this.#timers = this.#sources.map((source) => this.#repeat(source));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Tokens that are known, expired ones included. */
  get size(): number {
    return this.#byHash.size;
  }

  /** Whether a source could not be read, so that there may be others. */
  get mayHaveMore(): boolean {
    return this.#unreadable.size > 0;
  }

  /** A hash cannot be chosen byte by byte, so that the time which a look-up takes tells nothing about other hashes. */
  find(token: string): KeptToken | undefined {
    const sha256 = hashOf(token);
    const found = this.#byHash.get(sha256);
    return found !== undefined && isSameHash(found.sha256, sha256) ? found : undefined;
  }

  #repeat(source: TokenSource): NodeJS.Timeout {
    let isReading = false;
    const timer = setInterval(() => {
      if (isReading) return;
      isReading = true;
      void this.#refresh(source).finally(() => {
        isReading = false;
      });
    }, source.everyMs);
    return timer.unref();
  }

  /** Never rejects. */
  async #refresh(source: TokenSource): Promise<void> {
    let tokens: readonly KeptToken[] | undefined;
    try {
      tokens = await source.read();
    } catch (error) {
      this.#unreadable.add(source);
      const problem = error instanceof Error ? error.message : String(error);
      this.#onEvent({ type: 'tokens-unreadable', from: source.name, problem });
      return;
    }
    if (this.#unreadable.delete(source)) this.#onEvent({ type: 'tokens-readable', from: source.name });
    if (tokens !== undefined) this.#replace(source, tokens);
  }

  #replace(source: TokenSource, tokens: readonly KeptToken[]): void {
    const before = this.#read.get(source);
    this.#read.set(source, tokens);
    this.#byHash = new Map([...this.#read.values()].flat().map((token) => [token.sha256, token]));
    // Tokens that exist at the start were not created just now.
    if (before === undefined) return;
    const isIn = (others: readonly KeptToken[]) => {
      const hashes = new Set(others.map(({ sha256 }) => sha256));
      return ({ sha256 }: KeptToken) => hashes.has(sha256);
    };
    const [wasThere, isThere] = [isIn(before), isIn(tokens)];
    const added = tokens.filter((token) => !wasThere(token));
    const removed = before.filter((token) => !isThere(token));
    if (added.length + removed.length > 0) this.#onChange({ added, removed });
  }
}

/** A file is read when it is another one, or has another time or size. */
export function fileSource(name: string, file: string, tokens: TokenStore, everyMs: number): TokenSource {
  let seen = '';
  return {
    name,
    everyMs,
    read: async () => {
      const now = await stat(file).then(
        ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
        (error: unknown) => {
          if (isMissing(error)) return 'missing';
          throw error;
        },
      );
      if (now === seen) return undefined;
      const read = await tokens.list();
      seen = now;
      return read;
    },
  };
}

/** A database is asked each time: a few rows. */
export function storeSource(name: string, tokens: TokenStore, everyMs: number): TokenSource {
  return { name, everyMs, read: () => tokens.list() };
}
