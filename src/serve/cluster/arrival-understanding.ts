/**
 * What a turn that a lane closed says about the conversation that it belongs to. The turn is understood here once, to be filed; if this instance scores it
 * too, which it mostly does seconds later, the engine takes it as it was understood.
 */
import { buildTurns } from '../../assemble/build-turns.ts';
import { evidenceOf, keysOf, linksOf } from '../../assemble/conversation-evidence.ts';
import { isBare, isWhole } from '../../assemble/turns/fragments.ts';
import type { Arrival } from '../../engine/arrival.ts';
import { namedConversationOf } from '../../engine/conversation-labels.ts';
import type { Turn } from '../../model/turn.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { normalize } from '../../normalize/normalize.ts';
import type { FiledArrival } from '../../store/cluster-store.ts';
import type { ConversationKeys, TraceContent } from '../../store/engine-store.ts';

/** Without the positions of its lane. */
type UnderstoodArrival = Omit<FiledArrival, 'positions'>;

const UNKNOWN = { conversationId: undefined, has: [], wants: [], linked: [], needsNoHistory: false };

export class ArrivalUnderstanding {
  readonly #idKeys: IdKeys | undefined;

  constructor(idKeys: readonly string[]) {
    this.#idKeys = idKeysOf(idKeys);
  }

  /** `wantsKeys`: see `FilingStore`. A turn that cannot be understood says nothing about itself; scoring reports why. */
  understand(turn: Arrival, { wantsKeys }: { readonly wantsKeys: boolean }): UnderstoodArrival {
    const turns = this.#tryTurns(turn.content);
    if (turns === undefined) return { ...turn, ...UNKNOWN };
    const needsNoHistory = turns.every((part) => isWhole(part) && !isBare(part) && !part.ended);
    const conversationId = namedConversationOf(turns);
    // Finding keys decodes all messages, a third of what this costs.
    return conversationId !== undefined && !wantsKeys
      ? {
          ...turn,
          turns,
          conversationId,
          has: [],
          wants: [],
          linked: linksOf(turns),
          keysLater: true,
          needsNoHistory,
        }
      : { ...turn, turns, conversationId, ...evidenceOf(turns), needsNoHistory };
  }

  /** Keys of an arrival that was filed without them. */
  keysOf(content: TraceContent): ConversationKeys {
    const turns = this.#tryTurns(content);
    return turns === undefined ? { has: [], wants: [] } : keysOf(turns);
  }

  #tryTurns(content: TraceContent): readonly Turn[] | undefined {
    try {
      return buildTurns(normalize(content, this.#idKeys));
    } catch {
      // The engine tries again, and reports what is wrong.
      return undefined;
    }
  }
}
