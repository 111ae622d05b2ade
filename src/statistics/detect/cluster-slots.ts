/**
 * Which conversations belong together because one user, or one session, had them. Their outcomes are alike, so twenty of
 * one user say less than twenty of twenty users (cluster-memory.ts).
 *
 * The users seen last have a slot each; one that has been silent longest makes room. A slot is a place in the memories of
 * all levels of a stream. Only a hash of the id is kept.
 *
 * An id that has more than a third of all conversations for long is no user, but a channel, a bot or a placeholder. It
 * gets no slot: expecting of the whole stream what it did last would leave detection deaf.
 */
import type { Json } from '../../model/json.ts';

export interface Slot {
  readonly number: number;
  /** True if the slot was another user's before. */
  readonly isNew: boolean;
}

export const SLOTS = 256;
const SHARE_MAX = 1 / 3;
const SHARE_OVER_MS = 14 * 86_400_000;
/** Below this many conversations no share is known. */
const SHARE_KNOWN_FROM = 200;

interface Known {
  readonly number: number;
  /** Conversations, fading over two weeks. */
  count: number;
  last: number;
}

export class ClusterSlots {
  /** By hash, the one seen longest ago first. */
  readonly #known = new Map<number, Known>();
  #all = 0;
  #named = 0;
  #last = 0;

  /** Share of the conversations of late whose spans name nobody. */
  get unnamedShare(): number {
    return this.#all > 0 ? 1 - this.#named / this.#all : 0;
  }

  /** Undefined where nobody is named, or somebody who stands for all. */
  slotOf(id: string, at: number): Slot | undefined {
    this.#all = faded(this.#all, at - this.#last) + 1;
    this.#named = faded(this.#named, at - this.#last) + (id === '' ? 0 : 1);
    this.#last = at;
    if (id === '') return undefined;
    const key = hashOf(id);
    const known = this.#known.get(key);
    if (known === undefined) {
      const number = this.#known.size < SLOTS ? this.#known.size : this.#makeRoom();
      this.#known.set(key, { number, count: 1, last: at });
      return { number, isNew: true };
    }
    known.count = faded(known.count, at - known.last) + 1;
    known.last = at;
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#all > SHARE_KNOWN_FROM && known.count > SHARE_MAX * this.#all) return undefined;
    return { number: known.number, isNew: false };
  }

  snapshot(): Json {
    const known = [...this.#known].flatMap(([key, { number, count, last }]) => [key, number, count, last]);
    return [this.#all, this.#last, known, this.#named];
  }

  restore(json: Json): void {
    // 0.1.0 did not count the named ones: they are assumed to be all until more is known.
    const [all, last, known, named = all] = json as readonly [number, number, readonly number[], number?];
    this.#all = all;
    this.#named = named;
    this.#last = last;
    for (let at = 0; at + 3 < known.length; at += 4) {
      const [key = 0, number = 0, count = 0, seen = 0] = known.slice(at, at + 4);
      this.#known.set(key, { number, count, last: seen });
    }
  }

  #makeRoom(): number {
    for (const [key, { number }] of this.#known) {
      this.#known.delete(key);
      return number;
    }
    return 0;
  }
}

function faded(count: number, passedMs: number): number {
  return passedMs > 0 ? count * Math.exp(-passedMs / SHARE_OVER_MS) : count;
}

/** FNV-1a. Two users that share a number are taken for one, which is rare among so few. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
