/**
 * Finds the conversation of a turn that a lane closed, by what the turn says about itself. The turn is understood here once, to be filed; if this instance scores it
 * too, which it mostly does seconds later, the engine takes it as it was understood.
 */
import { evidenceOf, keysOf, linksOf } from '../../assemble/conversation-evidence.ts';
import { isBare, isWhole } from '../../assemble/turns/fragments.ts';
import type { Arrival } from '../../engine/arrival.ts';
import { namedConversationOf } from '../../assemble/build-conversation.ts';
import type { Turn } from '../../model/turn.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import type { FiledArrival } from '../../store/cluster-store.ts';
import type { ConversationKeys, TraceContent } from '../../store/engine-store.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';

/** Without the positions of its lane. */
type UnderstoodArrival = Omit<FiledArrival, 'positions'>;

const UNKNOWN = { conversationId: undefined, has: [], wants: [], linked: [], needsNoHistory: false };

export class ArrivalUnderstanding {
  readonly #idKeys: IdKeys | undefined;

  constructor(idKeys: readonly string[]) {
    this.#idKeys = idKeysOf(idKeys);
  }

  /**
   * `wantsKeys`: see `FilingStore`. Never throws: a turn that cannot be understood says nothing about itself, and the engine, which tries again, reports
   * why. Content is decoded lazily, so finding keys may fail where finding turns did not.
   */
  understand(turn: Arrival, { wantsKeys }: { readonly wantsKeys: boolean }): UnderstoodArrival {
    try {
      const turns = this.#turnsOf(turn.content);
      const needsNoHistory = turns.every((part) => isWhole(part) && !isBare(part) && !part.ended);
      const conversationId = namedConversationOf(turns);
      const known = { ...turn, turns, conversationId, needsNoHistory };
      // Finding keys decodes all messages, a third of what this costs.
      return conversationId !== undefined && !wantsKeys
        ? { ...known, has: [], wants: [], linked: linksOf(turns), keysLater: true }
        : { ...known, ...evidenceOf(turns) };
    } catch {
      return { ...turn, ...UNKNOWN };
    }
  }

  /** Keys of an arrival that was filed without them. Never throws: the cluster's time waits for it. */
  keysOf(content: TraceContent): ConversationKeys {
    try {
      return keysOf(this.#turnsOf(content));
    } catch {
      return { has: [], wants: [] };
    }
  }

  #turnsOf(content: TraceContent): readonly Turn[] {
    return turnsOfTrace(content, this.#idKeys);
  }
}
