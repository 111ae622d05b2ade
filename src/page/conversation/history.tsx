/** Earlier revisions, and the suites in shadow that no live suite stands beside. */
import type { FullEvaluation } from '../../api/conversation-detail.ts';
import { useSomeFirst } from '../shell/some-first.tsx';
import { counted, scoreText } from '../text/format.ts';
import { OutcomeMark, withOutcomeWords } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { shadowOf } from './shadow-line.tsx';

const SHOWN = 20;

export function History({
  evaluations,
  leftOut,
}: {
  readonly evaluations: readonly FullEvaluation[];
  readonly leftOut: number;
}) {
  const live = evaluations.filter(({ shadow, latest }) => !shadow && latest);
  const beside = new Set(live.map((one) => shadowOf(one, evaluations)));
  const shadows = evaluations.filter((one) => one.shadow && one.latest && !beside.has(one));
  const earlier = evaluations.filter(({ shadow, latest }) => !shadow && !latest);
  const inShadow = useSomeFirst(shadows, SHOWN);
  const before = useSomeFirst(earlier, SHOWN);
  if (shadows.length === 0 && earlier.length === 0) return null;
  return (
    <section class="history">
      {shadows.length > 0 && <h3>In shadow</h3>}
      {shadows.length > 0 && <ul>{inShadow.shown.map(line)}</ul>}
      {inShadow.more}
      {earlier.length > 0 && (
        <details>
          <summary>{`Earlier revisions (${earlier.length + leftOut})`}</summary>
          <ul>{before.shown.map(line)}</ul>
          {before.more}
          {leftOut > 0 && <p class="aside">{`${counted(leftOut, 'evaluation')} are older than this list goes.`}</p>}
        </details>
      )}
    </section>
  );
}

function line(evaluation: FullEvaluation) {
  const {
    suite,
    suite_version: version,
    revision,
    outcome,
    because,
    score,
    evaluated_at: at,
    explanation,
  } = evaluation;
  return (
    <li key={`${suite} ${version} ${revision} ${evaluation.turn_id ?? ''}`}>
      <SpanText text={suite} />
      {` version ${version}, revision ${revision}: `}
      <OutcomeMark outcome={outcome} because={because} />
      {score === null ? ' ' : ` ${scoreText(score)} `}
      {at !== undefined && <Time at={at} />}
      <p class="aside">
        <SpanText text={withOutcomeWords(explanation)} charactersMax={600} />
      </p>
    </li>
  );
}
