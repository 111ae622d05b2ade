/**
 * Judges that criteria name and the configuration does not. If it has none at all, judged criteria are skipped and say
 * so: the suite then scores as if it did not have them. But among several judges a name that is none of them is a slip.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import type { Mistake } from '../../model/mistake.ts';

/** Place where a criterion names its judge, in words or by default. */
export interface NamedJudge extends Pick<Mistake, 'file' | 'line' | 'column' | 'path'> {
  readonly judge: string;
}

export function unknownJudges(
  { judges = [], mistakes }: { readonly judges?: readonly NamedJudge[]; readonly mistakes: readonly Mistake[] },
  configured: readonly string[],
): readonly Mistake[] {
  if (configured.length === 0) return [];
  return judges.flatMap(({ judge, ...place }) => {
    // A block with a mistake of form may have the name of its stand-in.
    const block = place.path.replace(/\.by$/, '');
    if (configured.includes(judge) || mistakes.some(({ path }) => path.startsWith(block))) return [];
    const nearest = didYouMean(judge, configured);
    const expected = nearest === undefined ? `one of ${configured.join(', ')}` : `did you mean '${nearest}'?`;
    return [{ ...place, problem: `no judge is configured by the name '${judge}'`, expected }];
  });
}
