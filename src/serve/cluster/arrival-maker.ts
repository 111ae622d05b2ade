/**
 * From a turn that a lane has closed to what the store files of it: its bytes put together, and what they say themselves about the
 * conversation they belong to. The thread that reads does this: who files and judges has more to do, and would wait for it.
 */
import { buildTurns } from '../../assemble/build-turns.ts';
import { evidenceOf, linksOf } from '../../assemble/conversation-evidence.ts';
import type { ClosedTurn } from '../../assemble/open-turns.ts';
import { GroupCache, mergeContent } from '../../assemble/trace-content.ts';
import { isBare, isWhole } from '../../assemble/turns/fragments.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { normalize } from '../../normalize/normalize.ts';
import type { Arrival } from '../../store/cluster-store.ts';
import { namedConversationOf } from '../../engine/conversation-labels.ts';

/** But for where its lane had come to. */
export type MadeArrival = Omit<Arrival, 'positions'>;

type Identity = Pick<Arrival, 'conversationId' | 'has' | 'wants' | 'linked' | 'keysLater' | 'standsAlone'>;

const UNKNOWN: Identity = { conversationId: undefined, has: [], wants: [], linked: [], standsAlone: false };

export class ArrivalMaker {
  readonly #read: (position: number, length: number) => Uint8Array;
  readonly #idKeys: IdKeys | undefined;
  readonly #groups = new GroupCache();

  constructor(options: {
    readonly read: (position: number, length: number) => Uint8Array;
    readonly idKeys: readonly string[];
  }) {
    this.#read = options.read;
    this.#idKeys = idKeysOf(options.idKeys);
  }

  /** `wantsKeys`: see `ClusterStore`. Throws where the bytes can't be had. */
  make(turn: ClosedTurn, { wantsKeys }: { readonly wantsKeys: boolean }): MadeArrival {
    const { traceId, closedAt, cause, rows, spansAreDistinct } = turn;
    const { content, spans } = mergeContent({
      rows,
      read: this.#read,
      groups: this.#groups,
      stored: undefined,
      spansAreDistinct,
    });
    return { traceId, closedAt, cause, spans, content, ...this.#identify(content, wantsKeys) };
  }

  /** What can't be understood says nothing of itself; who judges it says why. */
  #identify(content: Arrival['content'], wantsKeys: boolean): Identity {
    try {
      const turns = buildTurns(normalize(content, this.#idKeys));
      const standsAlone = turns.every((part) => isWhole(part) && !isBare(part) && !part.ended);
      const conversationId = namedConversationOf(turns);
      // Finding keys decodes all messages, a third of what this costs.
      return conversationId !== undefined && !wantsKeys
        ? { conversationId, has: [], wants: [], linked: linksOf(turns), keysLater: true, standsAlone }
        : { conversationId, ...evidenceOf(turns), standsAlone };
    } catch {
      return UNKNOWN;
    }
  }
}
