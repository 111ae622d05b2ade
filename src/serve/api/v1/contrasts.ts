/**
 * Reasons to look at conversations of a window, each with the conversations that they are compared with. These are known
 * to be otherwise where there are some: else whatever makes it known, such as an order or a long talk, would be found
 * itself.
 */
import type { FindSource } from '../../../model/find-sources.ts';
import { isScored, severityOf } from '../../../model/severity.ts';
import type { Contrast } from '../../../statistics/discovery/finds.ts';
import type { FactsOf } from '../../../store/frame-reader.ts';

/** With fewer that are known to be otherwise, all others stand for them. */
const OTHERWISE_MIN = 20;
const NEW_KINDS = ['tool: ', 'failed call: ', 'error: ', 'error message: '];
/** Conversations that have it were scored by an Assay that keeps all of these facts. */
const ENDED = /^ended: /m;

type Source = Exclude<FindSource, 'new'>;

/** Undefined where it is not known. */
const IS_IT: Readonly<Record<Source, (one: FactsOf) => boolean | undefined>> = {
  came_out_bad: ({ cameOut }) => (cameOut === undefined ? undefined : cameOut === 'bad'),
  feedback_negative: ({ feedback }) => (feedback === undefined ? undefined : feedback === 'negative'),
  read_bad: ({ readAs }) => (readAs === undefined ? undefined : readAs === 'bad'),
  criteria_failed: ({ called }) =>
    isScored(called) ? (severityOf(called) ?? 0) >= (severityOf('partial_failure') ?? 0) : undefined,
  foretold_bad: ({ isForetoldBad }) => isForetoldBad,
};

/** `weighed` are the facts by which a prediction goes: that they come with its lowest chances is no find. */
export function contrastsOf(
  conversations: readonly FactsOf[],
  { earlier, weighed }: { readonly earlier: number; readonly weighed: ReadonlySet<string> },
): readonly (Contrast & { readonly name: FindSource })[] {
  const size = conversations.length + earlier;
  // The cast holds because these are the table's own keys.
  const known = (Object.keys(IS_IT) as Source[]).map((name) => ({
    name,
    sides: sidesOf(conversations, size, IS_IT[name]),
    isTrivial: (fact: string) =>
      (name === 'criteria_failed' && fact.startsWith('failed: ')) || (name === 'foretold_bad' && weighed.has(fact)),
  }));
  const isNew: Contrast & { readonly name: FindSource } = {
    name: 'new',
    sides: Int8Array.from({ length: size }, (_, at) => (at < conversations.length ? 1 : -1)),
    isTrivial: (fact) => !NEW_KINDS.some((kind) => fact.startsWith(kind)),
    isOfNew: true,
  };
  return [...known, isNew];
}

/** Earlier conversations, which come last, are on neither side. */
function sidesOf(
  conversations: readonly FactsOf[],
  size: number,
  isIt: (one: FactsOf) => boolean | undefined,
): Int8Array {
  const said = conversations.map(isIt);
  const others = said.filter((one) => one === false).length;
  const unknown = others >= OTHERWISE_MIN ? 0 : -1;
  const sides = new Int8Array(size);
  for (const [at, one] of said.entries()) sides[at] = one === undefined ? unknown : one ? 1 : -1;
  return sides;
}

/** Facts were kept then as they are now. */
export function keepsAllFacts({ facts }: FactsOf): boolean {
  return ENDED.test(facts);
}
