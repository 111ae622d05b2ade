/**
 * Whether meeting the truth of a task shows that the task was done. It does if the truth asks for a change or an output,
 * and each of its keys is read: a key that no criterion of the suite reads may ask for more. Otherwise only
 * `complete: true` in the truth says that its actions and outputs are all that the task takes.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import type { Json } from '../../model/json.ts';
import { enumerate, toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { expectedActionsIn, expectedOutputsIn, isCompleteIn } from './expected-actions.ts';

const KEYS = ['actions', 'outputs', 'order', 'complete', 'golden'] as const;
const NAMED_MAX = 3;

/** Why it does not, in a sentence; undefined where it does. */
export function whyNotEnough(subject: Pick<Subject, 'truth' | 'effectOf' | 'readsTruth'>): string | undefined {
  return whyNot(subject.truth, {
    isRead: (key) => subject.readsTruth(key),
    isChange: (tool) => mayChange(subject, tool),
  });
}

/** The same, of a well-formed truth with actions and without its conversation; undefined of any other truth. */
export function taskTruthRemark(
  truth: Json,
  { truthKeys }: { readonly truthKeys: ReadonlySet<string> },
): string | undefined {
  const isOfTask = typeof truth === 'object' && truth !== null && Object.hasOwn(truth, 'actions');
  return isOfTask ? whyNot(truth, { isRead: (key) => truthKeys.has(key), isChange: () => true }) : undefined;
}

/** True also for a tool of which nothing is known: it may change something. */
export function mayChange(subject: Pick<Subject, 'effectOf'>, tool: string): boolean {
  const effect = subject.effectOf(tool);
  return effect === 'writes' || effect === 'unknown';
}

/** Keys of the truth that a suite reads by expressions or code, by its text. */
export function truthKeysIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(READ)].map(([, key = '']) => key));
}

/** `truth.amount`, `truth.?amount`, `truth["amount"]`, also as the text of a JSON. */
const READ = /\btruth(?:\??\.\??|\[\??\\?["'])(\w+)/g;

function whyNot(
  truth: Json | undefined,
  { isRead, isChange }: { readonly isRead: (key: string) => boolean; readonly isChange: (tool: string) => boolean },
): string | undefined {
  if (typeof truth !== 'object' || truth === null || isCompleteIn(truth)) return undefined;
  const unread = Object.keys(truth).filter((key) => !KEYS.some((known) => known === key) && !isRead(key));
  if (unread.length > 0)
    return `The truth has ${enumerate(unread.slice(0, NAMED_MAX).map(named))}, which no criterion of the suite reads: ask for it by actions or outputs, or say \`complete: true\` if these are all that the task takes.`;
  const asksForChange = (expectedActionsIn(truth) ?? []).some(({ name }) => isChange(name));
  if (asksForChange || (expectedOutputsIn(truth) ?? []).length > 0) return undefined;
  return 'The truth asks for no change and no output, which an agent that does nothing meets as well: add outputs, or say `complete: true` if no more is wanted.';
}

function named(key: string): string {
  const nearest = didYouMean(key, KEYS);
  return `\`${toExcerpt(key)}\`${nearest === undefined ? '' : ` (did you mean \`${nearest}\`?)`}`;
}
