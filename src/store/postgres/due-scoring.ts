/**
 * Scoring: one transaction that takes conversations, loads them, lets the engine work, and writes what changed. Its locks are the lease: while
 * it lasts nobody else has these conversations, and when its session is silent for too long the database ends both.
 *
 *   taken      rows locked                  a crash frees them at once, a sleeper when the lease ends
 *   worked     nothing is written yet       the same
 *   written    totals and rows, fenced      the same
 *   committed  done; where the answer was lost, the number of the scoring transaction tells
 */
import type { ScoredBatch, ScoringStore, DueWork as JudgedSet } from '../cluster-store.ts';
import { claim } from './claim.ts';
import type { ContentCache } from './content-cache.ts';
import { joinGroups } from './conversation-groups.ts';
import { CommitUnknown, StoreUnreachable, TryAgain } from './errors.ts';
import type { Instance } from './instance.ts';
import type { Link } from './link.ts';
import { type Loaded, load } from './loading.ts';
import { textKey } from './row-keys.ts';
import type { Session } from './session.ts';
import { dayOf } from './days.ts';
import { toStorable } from './storable-text.ts';
import { WorkingSet } from './working-set.ts';
import { type OutboxPayload, writeChanges, writeFirstTimes, writeHistory, writeTotals } from './writing.ts';

/** Conversations that were loaded too small once, and are to be loaded whole when they are taken next. */
const WHOLE_MAX = 10_000;
const NOTHING: ScoredBatch = { conversations: 0, arrivals: 0, totals: [], reused: [] };

export class DueScoring implements ScoringStore {
  readonly workingSet: WorkingSet;
  readonly #link: Link;
  readonly #instance: Instance;
  readonly #cache: ContentCache;
  readonly #leaseMs: number;
  readonly #outboxPayload: OutboxPayload | undefined;
  readonly #whole = new Set<number>();
  /** The totals are only in the database. */
  #totalsAreStale = false;

  constructor(options: {
    readonly link: Link;
    readonly instance: Instance;
    readonly cache: ContentCache;
    readonly leaseMs: number;
    readonly outboxPayload: OutboxPayload | undefined;
  }) {
    this.#link = options.link;
    this.#instance = options.instance;
    this.#cache = options.cache;
    this.#leaseMs = options.leaseMs;
    this.#outboxPayload = options.outboxPayload;
    this.workingSet = new WorkingSet(options.instance.totals);
  }

  async scoreDue(
    options: { readonly whose: 'own' | 'any'; readonly conversationsMax: number; readonly bytesMax: number },
    work: (set: JudgedSet) => void,
  ): Promise<ScoredBatch> {
    if (this.#totalsAreStale) {
      await this.#instance.catchUp(this.#link);
      this.#totalsAreStale = false;
    }
    let loaded: Loaded | undefined;
    let reused: readonly string[] = [];
    try {
      await this.#link.transaction(async (session) => {
        loaded = await this.#take(session, options);
        if (loaded === undefined) return;
        this.workingSet.load(loaded);
        work({ time: loaded.time, arrivals: loaded.arrivals });
        this.#checkWork(loaded);
        reused = await this.#write(session, loaded);
      });
      return this.#done(loaded, reused);
    } catch (error) {
      if (error instanceof CommitUnknown && (await this.#wasJudged(error))) return this.#done(loaded, reused);
      this.#instance.totals.discard();
      if (error instanceof TryAgain) await this.#joinStrays(loaded);
      if (error instanceof CommitUnknown) {
        throw new StoreUnreachable('PostgreSQL went away before a commit; nothing of it is left', { cause: error });
      }
      throw error;
    } finally {
      this.workingSet.clear();
    }
  }

  async #take(
    session: Session,
    options: { readonly whose: 'own' | 'any'; readonly conversationsMax: number; readonly bytesMax: number },
  ): Promise<Loaded | undefined> {
    const { conversationsMax, bytesMax } = options;
    const home = options.whose === 'own' ? this.#instance.id : undefined;
    const claimed = await claim(session, { home, conversationsMax });
    if (claimed === undefined) return undefined;
    const { idleMs } = this.workingSet.heads;
    const loaded = await load(session, claimed, { bytesMax, idleMs, whole: this.#whole, cache: this.#cache });
    return loaded.heads.length === 0 ? undefined : loaded;
  }

  /** The engine goes on where something fails; so it is to be seen here whether all that it asked for was there. */
  #checkWork({ heads }: Loaded): void {
    const { missing, strays } = this.workingSet.heads;
    if (missing.length > 0) {
      if (this.#whole.size > WHOLE_MAX) this.#whole.clear();
      for (const id of missing) this.#whole.add(id);
      throw new TryAgain(`${missing.length} conversations have to be loaded whole`);
    }
    const [stray] = strays;
    // Only what was done is forgotten: the next attempt at the same set needs all of them again.
    if (stray === undefined) for (const { id } of heads) this.#whole.delete(id);
    else
      throw new TryAgain(`conversation ${stray.conversationId} has to be loaded together with trace ${stray.traceId}`);
  }

  async #write(session: Session, loaded: Loaded): Promise<readonly string[]> {
    await this.#instance.fence(session);
    const reused = await writeChanges(session, this.workingSet, {
      homes: loaded.homes,
      outboxPayload: this.#outboxPayload,
    });
    await writeTotals(session, this.#instance.id, this.#instance.totals);
    await writeFirstTimes(session, this.#instance.totals.times.changed);
    await writeHistory(session, this.#instance.id, this.workingSet.history.changed());
    await this.workingSet.words.write(session);
    await this.workingSet.feedback.write(session);
    const again = loaded.heads.filter(({ revisit }) => revisit !== undefined);
    if (again.length > 0)
      await session.run(LOOKED_AT, [again.map(({ id }) => id), again.map(({ revisit }) => revisit ?? 0)]);
    await this.#askAgain(session);
    if (loaded.entries.length === 0) return reused;
    const scored = await session.run(LEAVE_QUEUE, [loaded.entries]);
    if (scored !== loaded.entries.length) {
      throw new Error(`store: ${scored} of ${loaded.entries.length} arrivals were still waiting`);
    }
    return reused;
  }

  /** After the requests that were answered have gone. A request that came meanwhile stands, because it is for an earlier time. */
  async #askAgain(session: Session): Promise<void> {
    const { revisits, heads } = this.workingSet;
    const asked = [...revisits.asked].flatMap(([row, at]) => {
      const id = heads.head(row).loaded?.id;
      return id === undefined ? [] : [{ id, at }];
    });
    if (asked.length > 0) await session.run(ASK_AGAIN, [asked.map(({ id }) => id), asked.map(({ at }) => at)]);
  }

  #done(loaded: Loaded | undefined, reused: readonly string[]): ScoredBatch {
    if (loaded === undefined) return NOTHING;
    this.#instance.scored();
    for (const { id } of loaded.arrivals) this.#cache.drop(id);
    const totals = this.#instance.totals.committed();
    return { conversations: loaded.heads.length, arrivals: loaded.arrivals.length, totals, reused };
  }

  async #wasJudged(lost: CommitUnknown): Promise<boolean> {
    const until = Date.now() + 2 * this.#leaseMs;
    for (;;) {
      try {
        return await this.#instance.wasJudged(this.#link);
      } catch (error) {
        if (error instanceof StoreUnreachable && Date.now() < until) continue;
        this.#totalsAreStale = true;
        throw new StoreUnreachable(lost.message, { cause: error });
      }
    }
  }

  /** A conversation without filed arrivals gets a head and a group, so that it exists the next time. */
  async #joinStrays(loaded: Loaded | undefined): Promise<void> {
    const { strays } = this.workingSet.heads;
    if (loaded === undefined || strays.length === 0) return;
    const conversations = new Map(loaded.arrivals.map(({ traceId, conversation }) => [traceId, conversation]));
    await this.#link.transaction(async (session) => {
      for (const { conversationId, traceId } of strays) {
        const conversation = conversations.get(traceId);
        if (conversation === undefined) continue;
        const key = textKey(conversationId);
        await session.run(ADD_HEAD, [key, toStorable(conversationId), dayOf(Date.now()), Date.now()]);
        const [head] = await session.rows<{ id: number }>(FIND_HEAD, [key]);
        if (head !== undefined) await joinGroups(session, [[conversation, head.id]]);
      }
    });
  }
}

const LEAVE_QUEUE = { name: 'leave-queue', sql: 'DELETE FROM pending WHERE ctid = ANY($1::tid[])' };
/** Unless it has been requested again meanwhile. */
const LOOKED_AT = {
  name: 'looked-at',
  sql: `DELETE FROM revisits v USING unnest($1::bigint[], $2::bigint[]) AS n (conversation, number)
    WHERE v.conversation = n.conversation AND v.number = n.number`,
};
const ASK_AGAIN = {
  name: 'ask-again',
  sql: `INSERT INTO revisits (conversation, due_at) SELECT * FROM unnest($1::bigint[], $2::bigint[])
    ON CONFLICT (conversation) DO NOTHING`,
};
const ADD_HEAD = {
  name: 'add-head',
  sql: `INSERT INTO conversations (key, conversation_id, first_day, updated_at) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`,
};
const FIND_HEAD = { name: 'find-head', sql: 'SELECT id FROM conversations WHERE key = $1' };
