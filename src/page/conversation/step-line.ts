/** A step as one line: its place in the tree, its name, its time, and the verdicts that rest on it. */
import { h, type JSX } from 'preact';
import { decisionOf } from '../../model/decision.ts';
import type { StepKind } from '../../model/step.ts';
import { countText, durationText } from '../text/format.ts';
import { VerdictMark } from '../text/outcome.ts';
import { SpanText } from '../text/span-text.ts';
import type { Evidence } from './evidence.ts';
import type { StepRow } from './step-rows.ts';

interface LineProps {
  readonly row: Extract<StepRow, { is: 'step' }>;
  readonly evidence: readonly Evidence[];
  readonly isLit: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const KIND_WORDS: Partial<Readonly<Record<StepKind, string>>> = { llm: 'model', other: 'span' };

export function StepLine({ row, evidence, isLit, isChosen, onChoose }: LineProps): JSX.Element {
  const { step, depth, from, length, durationMs } = row;
  const tokens = step.tokens === undefined ? '' : `${countText(step.tokens.input + step.tokens.output)} tok`;
  // Styles are set by script, because the policy of the page allows none in markup.
  const indent = (element: HTMLElement | null) => element?.style.setProperty('padding-inline-start', `${depth * 12}px`);
  const bar = (element: HTMLElement | null) => {
    element?.style.setProperty('inset-inline-start', `min(${from * 100}%, 100% - 2px)`);
    element?.style.setProperty('width', `max(2px, ${length * 100}%)`);
  };
  const failed = evidence.filter(({ verdict }) => decisionOf(verdict) === 'fail');
  const marks = failed.length > 0 ? failed.slice(0, 1) : evidence.slice(0, 1);
  return h(
    'button',
    {
      type: 'button',
      class: ['step-line', isLit ? 'lit' : '', isChosen ? 'chosen' : '', step.status === 'error' ? 'failed' : ''].join(
        ' ',
      ),
      'aria-pressed': isChosen,
      onClick: onChoose,
    },
    h(
      'span',
      { class: 'step-name', ref: indent },
      h('span', { class: `kind ${step.kind}` }, KIND_WORDS[step.kind] ?? step.kind),
      h('span', { class: 'name' }, h(SpanText, { text: step.name, charactersMax: 120 })),
      step.status === 'error' && h('span', { class: 'failure' }, 'failed'),
      ...marks.map(({ key, verdict }) => h(VerdictMark, { key, verdict })),
    ),
    h('span', { class: 'time-line', 'aria-hidden': 'true' }, h('span', { class: `time-bar ${step.kind}`, ref: bar })),
    h('span', { class: 'step-time' }, durationText(durationMs)),
    h('span', { class: 'step-tokens' }, tokens),
  );
}
