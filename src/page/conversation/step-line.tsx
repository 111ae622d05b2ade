/** A step as one line: its place in the tree, its name, its time, and the verdicts that rest on it. */
import { decisionOf } from '../../model/decision.ts';
import type { StepKind } from '../../model/step.ts';
import { countText, durationText } from '../text/format.ts';
import { VerdictMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import type { Evidence } from './evidence.ts';
import type { StepRow } from './step-rows.ts';

interface LineProps {
  readonly row: Extract<StepRow, { is: 'step' }>;
  readonly evidence: readonly Evidence[];
  /** Undefined where the conversation's own agent did it. */
  readonly subAgent: string | undefined;
  readonly isLit: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const KIND_WORDS: Partial<Readonly<Record<StepKind, string>>> = { llm: 'model', other: 'span' };

export function StepLine({ row, evidence, subAgent, isLit, isChosen, onChoose }: LineProps) {
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
  return (
    <button
      type="button"
      class={['step-line', isLit ? 'lit' : '', isChosen ? 'chosen' : '', step.status === 'error' ? 'failed' : ''].join(
        ' ',
      )}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <span class="step-name" ref={indent}>
        <span class={`kind ${step.kind}`}>{KIND_WORDS[step.kind] ?? step.kind}</span>
        <SpanText in="span" class="name" text={step.name} charactersMax={120} />
        {subAgent !== undefined && subAgent !== step.name && (
          <span class="actor" title={`done by ${subAgent}`}>
            <span class="only-heard"> by </span>
            <SpanText text={subAgent} charactersMax={60} />
          </span>
        )}
        {step.status === 'error' && <span class="failure">failed</span>}
        {marks.map(({ key, verdict }) => (
          <VerdictMark key={key} verdict={verdict} />
        ))}
      </span>
      <span class="time-line" aria-hidden="true">
        <span class={`time-bar ${step.kind}`} ref={bar} />
      </span>
      <span class="step-time">{durationText(durationMs)}</span>
      <span class="step-tokens">{tokens}</span>
    </button>
  );
}
