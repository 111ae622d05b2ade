/**
 * A call that was not made, or did not work, has left nothing behind in the state either. The effect of a call that
 * changes something is gone. The result of a call that only reads is gone unless another call returned it too.
 */
import type { Excerpt } from '../model/excerpt.ts';
import { undone, unknown } from './dependent-values.ts';
import { type CallPlace, callsOf, withState } from './edit.ts';
import type { Scene } from './fault.ts';

/** `changed` is the conversation in which the call of `place`, in the scene, is not what it was. */
export function withoutItsEffect(changed: Excerpt, { call, turn }: CallPlace, { excerpt, isWrite }: Scene): Excerpt {
  if (isWrite(call.tool)) return withState(changed, turn, (state) => undone(state, call));
  const others = callsOf(excerpt).flatMap((other) => (other.call === call ? [] : [other.call]));
  return withState(changed, turn, (state) => unknown(state, call, others));
}
