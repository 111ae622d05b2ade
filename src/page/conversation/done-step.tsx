/** A step as a line: its kind, its name, who did it, the beginning of what went in and came out; opened, all of it. */
import type { ComponentChildren } from 'preact';
import type { StepKind } from '../../model/step.ts';
import { errorText } from '../text/error-text.ts';
import { durationText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { type DoneRow, isFailed } from './done-rows.ts';
import { type Evidence, failedHere } from './evidence.ts';
import { EvidenceButtons } from './evidence-buttons.tsx';
import { anchorOf } from './in-sight.ts';
import { StepDetail } from './step-detail.tsx';

interface DoneStepProps {
  readonly conversation: string;
  readonly row: DoneRow;
  readonly evidence: readonly Evidence[];
  readonly isLit: boolean;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly traceUrl?: string | undefined;
  readonly besideStep?: (span: string | undefined, words: string) => ComponentChildren;
  readonly onToggle: () => void;
  readonly onEvidence: (evidence: Evidence) => void;
}

const KIND_WORDS: Partial<Readonly<Record<StepKind, string>>> = { llm: 'model', other: 'span' };
const INDENT_PX = 20;

export function DoneStep(props: DoneStepProps) {
  const { row, evidence, isLit, isChosen, isOpen, besideStep, onToggle, onEvidence } = props;
  const { step, by, indent, durationMs } = row;
  const failed = evidence.filter(failedHere);
  const others = evidence.filter((one) => !failedHere(one));
  const hasFailed = isFailed(step);
  const classes = [hasFailed && 'failed', isLit && 'lit', isChosen && 'chosen', isOpen && 'open'];
  // Styles are set by script, because the policy of the page allows none in markup.
  const indented = (element: HTMLElement | null) =>
    element?.style.setProperty('margin-inline-start', `${indent * INDENT_PX}px`);
  return (
    <li class={['done-step', ...classes.filter((one) => one !== false)].join(' ')} ref={indented}>
      <div class="done-head" id={anchorOf({ turn: '', step: step.step_id })}>
        <button type="button" class="done-line" aria-expanded={isOpen} onClick={onToggle}>
          <span class={`kind ${step.kind}`}>{KIND_WORDS[step.kind] ?? step.kind}</span>
          <SpanText in="b" class="name" text={step.name} charactersMax={120} />
          {by !== undefined && by !== step.name && (
            <SpanText in="span" class="actor" text={`by ${by}`} charactersMax={60} />
          )}
          {hasFailed && <span class="failure">failed</span>}
          <Preview row={row} />
          <TimeBar row={row} />
          <span class="step-time">{durationText(durationMs)}</span>
        </button>
        <EvidenceButtons evidence={failed} onEvidence={onEvidence} />
        {besideStep?.(step.span_id, step.name)}
      </div>
      {isOpen && <StepDetail {...props} evidence={others} />}
    </li>
  );
}

const PREVIEW_CHARACTERS = 200;

/** `{"id":7} → {"state":"shipped"}`, or the words of a model. */
function Preview({ row: { step } }: Pick<DoneStepProps, 'row'>) {
  const { thinking, error } = step;
  const [into, out] = [oneLine(step.arguments), oneLine(step.result ?? step.output ?? thinking)];
  const came = step.status === 'error' ? (error === undefined ? out : errorText(error)) : out;
  const words = [into, came].filter((one) => one !== undefined).join(' → ');
  return <SpanText in="span" class="preview" text={words} charactersMax={PREVIEW_CHARACTERS} />;
}

function oneLine(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value.slice(0, 2 * PREVIEW_CHARACTERS) : JSON.stringify(value);
  return text.slice(0, 2 * PREVIEW_CHARACTERS).replace(/\s+/g, ' ');
}

function TimeBar({ row: { step, from, length } }: Pick<DoneStepProps, 'row'>) {
  const bar = (element: HTMLElement | null) => {
    element?.style.setProperty('inset-inline-start', `min(${from * 100}%, 100% - 2px)`);
    element?.style.setProperty('width', `max(2px, ${length * 100}%)`);
  };
  return (
    <span class="time-line" aria-hidden="true">
      <span class={`time-bar ${step.kind}`} ref={bar} />
    </span>
  );
}
