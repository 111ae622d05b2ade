/** To what an arrival refers that was filed without saying so; where it can't be understood, to nothing, as when it is filed. */
import { keysOf } from '../../assemble/conversation-evidence.ts';
import { buildTurns } from '../../assemble/build-turns.ts';
import { idKeysOf } from '../../normalize/id-keys.ts';
import { normalize } from '../../normalize/normalize.ts';
import type { ConversationKeys, TraceContent } from '../../store/engine-store.ts';

export function keysOfContent(idKeys: readonly string[]): (content: TraceContent) => ConversationKeys {
  const compiled = idKeysOf(idKeys);
  return (content) => {
    try {
      return keysOf(buildTurns(normalize(content, compiled)));
    } catch {
      return { has: [], wants: [] };
    }
  };
}
