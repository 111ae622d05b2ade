/**
 * Which calls a later call undid: `reactivate_order` on the order that `cancel_order` cancelled.
 *
 * Only names and ids are read. The later call succeeded, its name has a verb that takes something back, and both name the
 * same thing: they share an id, or neither names one and their tools share a word, as in `cancel_subscription` and
 * `reactivate_subscription`. Whether everything is as it was before (fees, messages that were sent) cannot be seen.
 */
import type { ToolCall } from '../../model/turn.ts';
import { wordSet, wordsOf } from '../subject/effect-by-name.ts';
import { actionsIn } from '../../language/actions.ts';
import { thingsOf } from './made-good.ts';

const UNDOES_ANY = wordSet('undo restore revert rollback');
/** Verbs that put back into force what was ended. */
const UNDOES_AN_END = wordSet(
  'reactivate reinstate uncancel reopen resume undelete unarchive unsuspend activate enable unblock unlock unfreeze unpause',
);
const ENDS = wordSet(
  'cancel close delete remove deactivate disable suspend pause terminate archive unsubscribe revoke block lock freeze',
);
/** Words of tool names that do not name the thing. */
const OF_NO_THING = new Set([...UNDOES_ANY, ...UNDOES_AN_END, ...ENDS]);
/** Actions of a word that any change may have. */
const CHANGE = actionsIn('change');

/** Undefined where it stands. The calls are in the order in which they were made, and `hasWorked` of those that succeeded. */
export function undoneBy(
  call: ToolCall,
  calls: readonly ToolCall[],
  hasWorked: (call: ToolCall) => boolean,
): ToolCall | undefined {
  return calls.slice(calls.indexOf(call) + 1).find((later) => hasWorked(later) && mayUndo(later, call));
}

export function isUndo({ name }: Pick<ToolCall, 'name'>): boolean {
  return wordsOf(name).some((word) => UNDOES_ANY.has(word) || UNDOES_AN_END.has(word));
}

function mayUndo(later: ToolCall, call: ToolCall): boolean {
  const [undoing, done] = [wordsOf(later.name), wordsOf(call.name)];
  if (isUndo(call)) return false;
  const isUndoing =
    (undoing.some((word) => UNDOES_ANY.has(word)) && isOfSameAction(undoing, done)) ||
    (undoing.some((word) => UNDOES_AN_END.has(word)) && done.some((word) => ENDS.has(word)));
  if (!isUndoing) return false;
  const [things, others] = [idsOf(later), idsOf(call)];
  if (things.size > 0 && others.size > 0) return !things.isDisjointFrom(others);
  if (things.size > 0 || others.size > 0) return false;
  const nouns = new Set(done.filter((word) => !OF_NO_THING.has(word)));
  return undoing.some((word) => nouns.has(word));
}

/** `undo_refund` takes back no cancellation. */
function isOfSameAction(undoing: readonly string[], done: readonly string[]): boolean {
  const named = actionsIn(undoing.filter((word) => !UNDOES_ANY.has(word)).join(' ')).difference(CHANGE);
  return named.size === 0 || !named.isDisjointFrom(actionsIn(done.join(' ')));
}

function idsOf(call: ToolCall): ReadonlySet<string> {
  return new Set(thingsOf(call).values());
}
