/**
 * Whether a claim tells how many, as a tool counted: "36 of 480 orders were returned", where 36 and 480 are in a result. A result of bare
 * numbers has no word for what it counts. A small count may be of the user's own orders. Where the user named the action and asked for no
 * report, the words say that it was done.
 */
import type { Content } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';
import { actionsIn } from '../../language/actions.ts';
import { askedFor } from '../../language/asked-for.ts';
import type { Claim } from '../../language/read-answer.ts';
import { readingsOf, WRITTEN_NUMBER } from '../subject/written-number.ts';
import { actionsOf } from './claim-in-context.ts';
import { SourceText } from './source-text.ts';

const TEXT_READ_MAX = 8000;
const COUNT_MIN = 10;
const COUNTED = new RegExp(
  String.raw`(?:^ ?(?:and |und |y |et |e )?|(?<![\p{L}\d.,#-]))(?<part>${WRITTEN_NUMBER})(?: (?:out of|of|von|de|sur) (?:the |all |den |les |las |los )?(?<whole>${WRITTEN_NUMBER}))?(?: \p{L}{2,16}){0,3}? (?:were|have been|wurden|ont été|fueron|foram)(?!\p{L})`,
  'u',
);

export function tellsCount(claim: Claim, found: readonly Content[], { userInput }: Turn): boolean {
  const groups = COUNTED.exec(claim.wholeClause)?.groups;
  if (claim.kind === 'own' || groups === undefined) return false;
  const counts = [groups.part, groups.whole].flatMap((one) => (one === undefined ? [] : Number(readingsOf(one)[0])));
  if (Math.max(...counts) < COUNT_MIN) return false;
  const request = userInput.text.slice(0, TEXT_READ_MAX);
  if (!actionsIn(request).isDisjointFrom(actionsOf(claim)) && askedFor(request)?.form !== 'report') return false;
  const { numbers } = new SourceText(found.map(({ text }) => text));
  return counts.every((count) => numbers.has(String(count)));
}
