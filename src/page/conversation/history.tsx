/** Earlier revisions, and the suites in shadow that no live suite stands beside. */
import type { FullEvaluation } from '../../api/conversation-detail.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { counted, scoreText } from '../text/format.ts';
import { OutcomeMark, withOutcomeWords } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { shadowOf } from './shadow-line.tsx';

const SHOWN = 20;

interface HistoryProps {
  readonly evaluations: readonly FullEvaluation[];
  readonly leftOut: number;
}

export function History({ evaluations, leftOut }: HistoryProps) {
  const live = evaluations.filter(({ shadow, latest }) => !shadow && latest);
  const beside = new Set(live.map((one) => shadowOf(one, evaluations)));
  const shadows = evaluations.filter((one) => one.shadow && one.latest && !beside.has(one));
  const earlier = evaluations.filter(({ shadow, latest }) => !shadow && !latest);
  if (shadows.length === 0 && earlier.length === 0) return null;
  return (
    <section class="history">
      {shadows.length > 0 && <h3>In shadow</h3>}
      {shadows.length > 0 && <Evaluations of={shadows} />}
      {earlier.length > 0 && (
        <details>
          <summary>{`Earlier revisions (${earlier.length + leftOut})`}</summary>
          <Evaluations of={earlier} />
          {leftOut > 0 && <p class="aside">{`${counted(leftOut, 'evaluation')} are older than this list goes.`}</p>}
        </details>
      )}
    </section>
  );
}

function Evaluations({ of: evaluations }: { readonly of: readonly FullEvaluation[] }) {
  return (
    <SomeFirst of={evaluations} atATime={SHOWN}>
      {(shown) => <ul>{shown.map(line)}</ul>}
    </SomeFirst>
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
      <SpanText in="p" class="aside" text={withOutcomeWords(explanation)} charactersMax={600} />
    </li>
  );
}
