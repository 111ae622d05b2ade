/** The verdicts of the latest revision: those that failed first, those that passed in as little room as possible. */
import { h, type JSX } from 'preact';
import type { FullEvaluation, VerdictOfCriterion } from '../../model/api/conversation-detail.ts';
import { limitOf } from '../../model/known-share.ts';
import { countText, counted, percent, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark } from '../text/outcome.ts';
import { SpanText } from '../text/span-text.ts';
import { verdictKey } from './evidence.ts';

interface VerdictsProps {
  readonly evaluations: readonly FullEvaluation[];
  readonly chosen: string | undefined;
  readonly onVerdict: (evaluation: FullEvaluation, verdict: VerdictOfCriterion) => void;
}

const ORDER: readonly VerdictOfCriterion['verdict'][] = ['fail', 'error', 'skipped', 'pass', 'not_applicable'];

export function Verdicts({ evaluations, chosen, onVerdict }: VerdictsProps): JSX.Element {
  return h(
    'section',
    { class: 'verdicts', 'aria-label': 'Verdicts' },
    evaluations.length === 0 && h('p', { class: 'aside' }, 'No suite has scored it.'),
    ...evaluations.map((evaluation) => {
      const { suite, suite_version: version, turn_id: turn, outcome, score, explanation, about, findings, waits_for: waits } = evaluation;
      const limit = limitOf(about);
      return h(
        'div',
        { key: `${suite} ${turn ?? ''}`, class: 'evaluation' },
        h(
          'h3',
          null,
          h(SpanText, { text: suite }),
          h('span', { class: 'aside' }, ` version ${version}`),
          h('span', { class: 'evaluation-score' }, h(OutcomeMark, { outcome }), score === null ? '' : scoreText(score)),
        ),
        turn !== undefined && h('p', { class: 'aside' }, 'Of the turn ', h(SpanText, { text: turn, charactersMax: 40 })),
        h('p', { class: 'explanation' }, h(SpanText, { text: explanation, charactersMax: 1_000 })),
        limit !== undefined && h('p', { class: 'limits' }, limit),
        h(Decided, { evaluation }),
        waits !== undefined && waits.length > 0 && h('p', { class: 'limits' }, `Waits for a judge: ${waits.join(', ')}.`),
        h(VerdictList, { evaluation, chosen, onVerdict }),
        ...findings.map(({ finding, reason }) =>
          h('p', { key: finding, class: 'finding' }, h('b', null, finding.replaceAll('_', ' ')), ': ', h(SpanText, { text: reason, charactersMax: 1_000 })),
        ),
      );
    }),
  );
}

function Decided({ evaluation: { decided_share: decided } }: { readonly evaluation: FullEvaluation }): JSX.Element | null {
  if (decided === undefined || decided >= 1) return null;
  return h('p', { class: 'limits' }, `${percent(1 - decided, 0)} of the weight could not be decided.`);
}

function VerdictList({ evaluation, chosen, onVerdict }: Omit<VerdictsProps, 'evaluations'> & { readonly evaluation: FullEvaluation }): JSX.Element {
  const sorted = evaluation.verdicts.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || (b.weight ?? 0) - (a.weight ?? 0));
  return h(
    'ul',
    { class: 'verdict-list' },
    ...sorted.map((verdict) => {
      const key = verdictKey(evaluation, verdict);
      const { evidence, criterion, weight, critical, reason, question, judged_by: judge } = verdict;
      return h(
        'li',
        { key, class: key === chosen ? `verdict ${verdict.verdict} chosen` : `verdict ${verdict.verdict}` },
        h(
          'button',
          {
            type: 'button',
            class: 'verdict-name',
            'aria-pressed': key === chosen,
            disabled: evidence.length === 0,
            title: evidence.length === 0 ? 'no span shows it' : 'Show the spans that it rests on',
            onClick: () => onVerdict(evaluation, verdict),
          },
          h(VerdictMark, { verdict: verdict.verdict }),
          h('b', null, h(SpanText, { text: criterion })),
          critical === true && h('span', { class: 'aside' }, 'critical'),
          h('span', { class: 'verdict-weight' }, weight === undefined ? '' : weight.toFixed(2)),
        ),
        question !== undefined && h('p', { class: 'question' }, h(SpanText, { text: question, charactersMax: 600 })),
        h('p', { class: 'reason' }, h(SpanText, { text: reason, charactersMax: 2_000 })),
        h(
          'p',
          { class: 'aside' },
          evidence.length > 0 && counted(evidence.length, 'span'),
          judge !== undefined && `${evidence.length > 0 ? ', ' : ''}judged by ${judge.judge}${judge.model === undefined ? '' : ` (${judge.model})`}`,
        ),
        verdict.steps !== undefined && h(GradedSteps, { steps: verdict.steps }),
      );
    }),
  );
}

function GradedSteps({ steps }: { readonly steps: NonNullable<VerdictOfCriterion['steps']> }): JSX.Element {
  return h(
    'ol',
    { class: 'graded' },
    ...steps.map(({ step, tool, score, reason }) =>
      h('li', { key: step, value: step }, h('b', null, h(SpanText, { text: tool })), ` ${countText(score)}: `, h(SpanText, { text: reason })),
    ),
  );
}
