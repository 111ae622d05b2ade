/** All of a step: what went in, what came out, and the verdicts that rest on it. */
import type { TEXT_FIELDS } from '../../api/conversation-detail.ts';
import { Copy } from '../text/copy.tsx';
import { countText, dollars, durationText } from '../text/format.ts';
import { LongText, payloadText, SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import type { Evidence } from './evidence.ts';
import { EvidenceButtons } from './evidence-buttons.tsx';
import type { StepRow } from './step-rows.ts';
import { OpenTrace } from './trace-links.tsx';
import { WhereFrom } from './where-from.tsx';
import { wholeTextAddress } from './whole-text.ts';

interface StepDetailProps {
  readonly conversation: string;
  readonly row: Extract<StepRow, { is: 'step' }>;
  readonly subAgent: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly traceUrl: string | undefined;
  readonly onEvidence: (evidence: Evidence) => void;
  readonly onClose: () => void;
}

type Field = (typeof TEXT_FIELDS)[number];
const FIELDS: readonly (readonly [Field, string])[] = [
  ['error', 'Error'],
  ['arguments', 'Arguments'],
  ['result', 'Result'],
  ['input', 'Input'],
  ['output', 'Output'],
];
const CODE: readonly Field[] = ['arguments', 'result'];

export function StepDetail(props: StepDetailProps) {
  const { conversation, subAgent, row, evidence, traceUrl, onEvidence, onClose } = props;
  const { step, durationMs } = row;
  const whole = (field: Field) => (step.cut === true ? wholeTextAddress(conversation, step.step_id, field) : undefined);
  const fields = FIELDS.flatMap(([field, title]) => {
    const value: unknown = field in step ? step[field as keyof typeof step] : undefined;
    return value === undefined ? [] : [{ field, title, text: payloadText(value) }];
  });
  const facts = [
    durationText(durationMs),
    ...(subAgent === undefined ? [] : [`by ${subAgent}`]),
    ...(step.model === undefined ? [] : [step.model]),
    ...(step.tokens === undefined
      ? []
      : [`${countText(step.tokens.input)} tokens in, ${countText(step.tokens.output)} out`]),
    ...(step.cost_usd === undefined ? [] : [dollars(step.cost_usd)]),
    ...(step.dialect === undefined ? [] : [`written by ${step.dialect}`]),
  ];
  return (
    <section class="step-detail" aria-label="The chosen step">
      <div class="step-detail-head">
        <h4>
          <SpanText text={step.name} />
        </h4>
        {step.span_id !== undefined && <Copy label="Copy span id" text={step.span_id} />}
        <OpenTrace
          template={traceUrl}
          of="step"
          place={{
            trace_id: step.trace_id,
            span_id: step.span_id,
            start_ms: Date.parse(step.began_at),
            end_ms: Date.parse(step.ended_at),
            conversation_id: conversation,
          }}
        />
        <button type="button" class="quiet" onClick={onClose}>
          Close step
        </button>
      </div>
      <p class="aside">
        <Time at={step.began_at} />
        {', '}
        <SpanText text={facts.join(', ')} />
      </p>
      <EvidenceButtons words="Rests on it: " evidence={evidence} onEvidence={onEvidence} />
      {fields.length === 0 && <p class="aside">Its content was not captured.</p>}
      {fields.map(({ field, title, text }) => (
        <div key={field} class="step-field">
          <h5>{title}</h5>
          <LongText text={text} whole={whole(field)} isCode={CODE.includes(field) || /^\s*[[{]/.test(text)} />
        </div>
      ))}
      <WhereFrom conversation={conversation} step={step.step_id} />
    </section>
  );
}
