/** When and why a conversation was scored as a whole, or will be, as `assay explain` says it. */
import type { DueCause, UnscoredCause } from '../model/causes.ts';
import type { ConversationFacts } from './explained-conversation.ts';

const CAUSES = {
  idle: 'nothing came for a while after its last turn',
  end_marker: 'the agent marked its end',
  single_trace: 'it has no conversation id, so it is this one trace',
  max_age: 'it reached its maximum age',
  max_turns: 'it reached its maximum number of turns',
  unknown: 'a newer version of Assay had a cause of its own',
} satisfies Record<DueCause, string>;
const WITHOUT_SCORE = {
  no_suite_matched: 'no suite is for it',
  not_understood: 'its spans could not be understood, and the log of then says why',
  moved: 'its turns belong to another conversation by now',
  unknown: 'a newer version of Assay had a reason of its own',
} satisfies Record<UnscoredCause, string>;

/** `idleMs` is not known of a service with another configuration. */
export function whenEvaluated(conversation: ConversationFacts, idleMs: number | undefined): string {
  const { cause, dueCause, revision, unscoredBecause: reason } = conversation;
  const waiting =
    dueCause === undefined ? '' : `; will be scored${revision > 0 ? ' again' : ''} ${dueText(dueCause, idleMs)}`;
  if (cause === undefined) return `not scored as a whole yet${waiting}`;
  const when = `because ${CAUSES[cause]}, revision ${revision}${waiting}`;
  return reason === undefined
    ? `scored as a whole ${when}`
    : `without a score as a whole: ${WITHOUT_SCORE[reason]}; it was due ${when}`;
}

/** Words that continue "it will be scored". */
export function dueText(cause: DueCause, idleMs: number | undefined): string {
  return DUE[cause](idleMs);
}

const soon = (cause: DueCause) => () => `soon, because ${CAUSES[cause]}`;
const DUE = {
  idle: (idleMs) =>
    idleMs === undefined
      ? 'some time after its last turn (conversation.idle)'
      : `${idleMs / 1000} s after its last turn`,
  end_marker: soon('end_marker'),
  single_trace: soon('single_trace'),
  max_age: soon('max_age'),
  max_turns: soon('max_turns'),
  unknown: soon('unknown'),
} satisfies Record<DueCause, (idleMs: number | undefined) => string>;
