/**
 * Decides what a criterion is about. Only evidence of the task lets a suite say that an agent succeeded:
 *
 *   form    the agent answered, did not loop, left no error standing: a built-in check that looks at form alone, or an expression that reads form alone
 *   rules   nothing was done that is forbidden
 *   task    what was asked was done: truth, a judge, golden traces, or criteria of one's own
 */
import type { About } from '../../model/evaluation.ts';
import type { Answer } from './answer.ts';
import type { Subject } from './subject.ts';

type Check = (subject: Subject) => Answer;

/**
 * Subjects of checks that are not about the task. A check of one's own that calls one of these is a check of one's own.
 */
const ABOUT = new WeakMap<Check, About>();

export function checkAbout<C extends Check>(about: About, check: C): C {
  ABOUT.set(check, about);
  return check;
}

export function aboutOf(check: unknown): About {
  // The cast holds because nothing but checks was put in: what else it is, is not found.
  return (typeof check === 'function' ? ABOUT.get(check as Check) : undefined) ?? 'task';
}
