/**
 * Turns of a recording that have no end and that no suite scored, by conversation. A conversation that goes on after it
 * was taken for over is counted as its last revision says.
 */
import { ENDLESS_SIGNS, type EndlessSign, type EngineEvent } from '../model/events/scoring-events.ts';
import type { ConversationId } from '../model/ids.ts';

export interface TurnsWithoutEnd {
  readonly conversation: ConversationId;
  readonly sign: EndlessSign;
  readonly turns: number;
}

type Noted = ReadonlyMap<ConversationId, { readonly revision: number; readonly turns: number }>;

export class EndlessTurns {
  readonly #noRoot = new Map<ConversationId, { revision: number; turns: number }>();
  readonly #openCall = new Map<ConversationId, { revision: number; turns: number }>();

  note(event: EngineEvent): void {
    if (event.type === 'turn-without-end') {
      const { conversation, revision, sign } = event;
      const noted = sign === 'no-root' ? this.#noRoot : this.#openCall;
      const before = noted.get(conversation);
      noted.set(conversation, { revision, turns: (before?.revision === revision ? before.turns : 0) + 1 });
    }
    if (event.type === 'conversation-evaluated') {
      const before = this.#openCall.get(event.conversation);
      if (before !== undefined && before.revision < event.revision) this.#openCall.delete(event.conversation);
    }
  }

  all(): readonly TurnsWithoutEnd[] {
    const bySign = { 'no-root': this.#noRoot, 'open-call': this.#openCall } satisfies Record<EndlessSign, Noted>;
    return ENDLESS_SIGNS.flatMap((sign) =>
      [...bySign[sign]].map(([conversation, { turns }]) => ({ conversation, sign, turns })),
    );
  }
}

export function turnsOf(all: readonly TurnsWithoutEnd[], sign: EndlessSign): number {
  return all.reduce((sum, one) => sum + (one.sign === sign ? one.turns : 0), 0);
}
