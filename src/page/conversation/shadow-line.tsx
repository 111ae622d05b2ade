/** The verdicts of a suite in shadow beside the live ones: one line, with the criteria that differ. */
import type { FullEvaluation, VerdictOfCriterion } from '../../api/conversation-detail.ts';
import { countText, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';

/** Undefined where none ran beside the evaluation. */
export function shadowOf(live: FullEvaluation, all: readonly FullEvaluation[]): FullEvaluation | undefined {
  return all.find(
    ({ shadow, latest, suite, turn_id: turn }) => shadow && latest && suite === live.suite && turn === live.turn_id,
  );
}

type Kind = VerdictOfCriterion['verdict'];

interface Difference {
  readonly criterion: string;
  /** Undefined where that version does not have it. */
  readonly live: Kind | undefined;
  readonly shadow: Kind | undefined;
}

function differences(live: FullEvaluation, shadow: FullEvaluation): readonly Difference[] {
  const verdictIn = ({ verdicts }: FullEvaluation, criterion: string) =>
    verdicts.find((one) => one.criterion === criterion)?.verdict;
  const criteria = new Set([...live.verdicts, ...shadow.verdicts].map(({ criterion }) => criterion));
  return [...criteria]
    .map((criterion) => ({ criterion, live: verdictIn(live, criterion), shadow: verdictIn(shadow, criterion) }))
    .filter((one) => one.live !== one.shadow);
}

interface ShadowLineProps {
  readonly live: FullEvaluation;
  readonly shadow: FullEvaluation;
}

export function ShadowLine({ live, shadow }: ShadowLineProps) {
  const { outcome, because, score, suite_version: version } = shadow;
  const different = differences(live, shadow);
  const same = shadow.verdicts.length - different.filter((one) => one.shadow !== undefined).length;
  return (
    <p class="shadow-line">
      {`In shadow, version ${version}: `}
      <OutcomeMark outcome={outcome} because={because} />
      {score === null ? ' no score. ' : ` ${scoreText(score)}. `}
      {different.flatMap((one) => [
        <span key={one.criterion} class="shadow-difference">
          {difference(one)}
        </span>,
        ' ',
      ])}
      {different.length === 0 ? 'No verdict differs.' : same > 0 ? `${countText(same)} the same.` : ''}
    </p>
  );
}

function difference({ criterion, live, shadow }: Difference) {
  const name = <SpanText in="b" text={criterion} />;
  if (shadow === undefined) return [name, ' is not asked;'];
  if (live === undefined) return [name, ' is new ', <VerdictMark verdict={shadow} />, ';'];
  return [name, ' ', <VerdictMark verdict={live} />, ' → ', <VerdictMark verdict={shadow} />, ';'];
}
