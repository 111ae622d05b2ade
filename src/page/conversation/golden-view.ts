/** The calls of a conversation beside the steps of its golden trace, in the words of `assay golden diff`. */
import { h, type JSX } from 'preact';
import type { ComparedStepJson, GoldenComparison, GoldenComparisons } from '../../api/golden-comparison.ts';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import type { DiffKind } from '../../model/golden-diff.ts';
import { useReply } from '../api/use-reply.ts';
import { Problem } from '../shell/problem.ts';
import { scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';

interface GoldenViewProps {
  readonly conversation: ConversationDetail;
  /** The id of the step whose details are shown. */
  readonly chosen: string | undefined;
  readonly onStep: (stepId: string | undefined) => void;
}

const NOTHING_ASKED = new URLSearchParams();

export function GoldenView({ conversation, chosen, onStep }: GoldenViewProps): JSX.Element {
  const path = `/api/v1/golden-comparison/${encodeURIComponent(conversation.conversation_id)}`;
  const { reply, again } = useReply<GoldenComparisons>(path, NOTHING_ASKED);
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Comparing …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const { comparisons } = reply.value;
  return h(
    'div',
    { class: 'golden' },
    comparisons.length === 0 &&
      h('p', { class: 'aside' }, 'No live suite with golden traces is for this conversation.'),
    ...comparisons.map((comparison) =>
      h(Comparison, {
        key: `${comparison.suite} ${comparison.turn_id ?? ''}`,
        comparison,
        turns: conversation.turn_list,
        chosen,
        onStep,
      }),
    ),
  );
}

interface ComparisonProps extends Pick<GoldenViewProps, 'chosen' | 'onStep'> {
  readonly comparison: GoldenComparison;
  readonly turns: readonly TurnJson[];
}

function Comparison({ comparison, turns, chosen, onStep }: ComparisonProps): JSX.Element {
  const { suite, golden, result, because, turn_id: turn } = comparison;
  const number = turns.findIndex(({ turn_id: id }) => id === turn) + 1;
  const steps = turns.flatMap((one) => one.steps);
  const stepOf = (span: string | undefined) =>
    steps.find(({ span_id: id }) => id !== undefined && id === span)?.step_id;
  return h(
    'div',
    { class: 'golden-comparison' },
    h(
      'h4',
      null,
      golden === undefined ? 'No golden trace' : h('span', null, 'Golden trace ', h(SpanText, { text: golden.id })),
      h('span', { class: 'aside' }, ` of suite ${suite}${number > 0 && turns.length > 1 ? `, turn ${number}` : ''}`),
    ),
    golden !== undefined &&
      golden.description !== '' &&
      h('p', { class: 'aside' }, h(SpanText, { text: golden.description, charactersMax: 600 })),
    result !== undefined && golden !== undefined && h(Summary, { result, mode: golden.mode }),
    h(
      'p',
      { class: 'aside' },
      h(SpanText, { text: golden === undefined ? because : `Chosen because ${because}.`, charactersMax: 600 }),
    ),
    result !== undefined &&
      h(
        'table',
        null,
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            ...['Compared', 'Golden trace', 'This conversation'].map((head) => h('th', { key: head }, head)),
          ),
        ),
        h(
          'tbody',
          null,
          ...result.steps.map((line, index) =>
            h(Line, { key: index, line, step: stepOf(line.span_id), chosen, onStep }),
          ),
        ),
      ),
  );
}

function Summary({
  result,
  mode,
}: {
  readonly result: NonNullable<GoldenComparison['result']>;
  readonly mode: string;
}): JSX.Element {
  const {
    follows,
    trajectory_score: score,
    output,
    output_mistake: mistake,
    over_budget: over,
    is_optimal: best,
  } = result;
  const answer = {
    as_expected: 'the answer is as expected',
    wrong: `the answer is not as expected: ${mistake ?? ''}`,
    unknown: `it is not known whether the answer is as expected: ${mistake ?? ''}`,
    not_said: 'the trace does not say what the answer contains',
  }[output];
  const parts = [
    `trajectory score ${scoreText(score)}`,
    mode.replaceAll('_', ' '),
    answer,
    ...(over === null ? [] : [`it took ${over}`]),
    ...(best ? [] : ['a better alignment may exist: the search stopped at its limit']),
  ];
  return h(
    'p',
    null,
    h('b', null, follows ? 'Follows the trace' : 'Does not follow the trace'),
    ': ',
    h(SpanText, { text: `${parts.join('; ')}.`, charactersMax: 1_000 }),
  );
}

/** As `assay golden diff` marks and names them. */
const KINDS = {
  matched: { mark: '=', word: 'same' },
  wrong_arguments: { mark: '~', word: 'wrong arguments' },
  missing: { mark: '−', word: 'missing' },
  extra: { mark: '+', word: 'extra' },
  out_of_order: { mark: '!', word: 'out of order' },
  unsafe: { mark: '!', word: 'unsafe' },
} satisfies Record<DiffKind, { readonly mark: string; readonly word: string }>;

interface LineProps extends Pick<GoldenViewProps, 'chosen' | 'onStep'> {
  readonly line: ComparedStepJson;
  /** The step of the call. */
  readonly step: string | undefined;
}

function Line({ line, step, chosen, onStep }: LineProps): JSX.Element {
  const { kind, expected, text, notes, wrong, step: number, call } = line;
  const { mark, word } = KINDS[kind];
  const shown = h(SpanText, { text, charactersMax: 400 });
  // The text of a call out of order has its place.
  const place = kind === 'out_of_order' ? undefined : call;
  return h(
    'tr',
    { class: wrong ? `golden-line ${kind} wrong` : `golden-line ${kind}` },
    h('th', { scope: 'row' }, h('span', { 'aria-hidden': 'true', class: 'golden-mark' }, mark), ' ', word),
    h(
      'td',
      { 'data-head': 'Golden trace' },
      expected === undefined
        ? h('span', { class: 'aside' }, 'no step')
        : h(
            'div',
            { class: 'golden-cell' },
            h('span', null, `${number ?? ''}.`),
            h('span', null, h(SpanText, { text: expected, charactersMax: 400 })),
          ),
    ),
    h(
      'td',
      { 'data-head': 'This conversation' },
      h(
        'div',
        { class: 'golden-cell' },
        place !== undefined && h('span', null, `${place}.`),
        step === undefined
          ? h('span', { class: kind === 'missing' ? 'aside' : undefined }, shown)
          : h(
              'button',
              {
                type: 'button',
                class: 'quiet golden-call',
                'aria-pressed': step === chosen,
                onClick: () => onStep(step === chosen ? undefined : step),
              },
              shown,
            ),
      ),
      notes.length > 0 &&
        h(
          'ul',
          { class: 'aside' },
          ...notes.map((note, index) => h('li', { key: index }, h(SpanText, { text: note, charactersMax: 400 }))),
        ),
    ),
  );
}
