/** Earlier revisions, and the suites in shadow that no live suite stands beside. */
import { h, type JSX } from 'preact';
import type { FullEvaluation } from '../../api/conversation-detail.ts';
import { useSomeFirst } from '../shell/some-first.ts';
import { counted, scoreText } from '../text/format.ts';
import { OutcomeMark, withOutcomeWords } from '../text/outcome.ts';
import { SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';
import { shadowOf } from './shadow-line.ts';

const SHOWN = 20;

export function History({
  evaluations,
  leftOut,
}: {
  readonly evaluations: readonly FullEvaluation[];
  readonly leftOut: number;
}): JSX.Element | null {
  const live = evaluations.filter(({ shadow, latest }) => !shadow && latest);
  const beside = new Set(live.map((one) => shadowOf(one, evaluations)));
  const shadows = evaluations.filter((one) => one.shadow && one.latest && !beside.has(one));
  const earlier = evaluations.filter(({ shadow, latest }) => !shadow && !latest);
  const inShadow = useSomeFirst(shadows, SHOWN);
  const before = useSomeFirst(earlier, SHOWN);
  if (shadows.length === 0 && earlier.length === 0) return null;
  return h(
    'section',
    { class: 'history' },
    shadows.length > 0 && h('h3', null, 'In shadow'),
    shadows.length > 0 && h('ul', null, ...inShadow.shown.map(line)),
    inShadow.more,
    earlier.length > 0 &&
      h(
        'details',
        null,
        h('summary', null, `Earlier revisions (${earlier.length + leftOut})`),
        h('ul', null, ...before.shown.map(line)),
        before.more,
        leftOut > 0 && h('p', { class: 'aside' }, `${counted(leftOut, 'evaluation')} are older than this list goes.`),
      ),
  );
}

function line(evaluation: FullEvaluation): JSX.Element {
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
  return h(
    'li',
    { key: `${suite} ${version} ${revision} ${evaluation.turn_id ?? ''}` },
    h(SpanText, { text: suite }),
    ` version ${version}, revision ${revision}: `,
    h(OutcomeMark, { outcome, because }),
    score === null ? ' ' : ` ${scoreText(score)} `,
    at !== undefined && h(Time, { at }),
    h('p', { class: 'aside' }, h(SpanText, { text: withOutcomeWords(explanation), charactersMax: 600 })),
  );
}
