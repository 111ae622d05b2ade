/** All of a step: what went in, what came out, and the verdicts that rest on it. */
import type { TEXT_FIELDS } from '../../api/conversation-detail.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { Copy } from '../text/copy.tsx';
import { errorText } from '../text/error-text.ts';
import { countText, dollars, durationText } from '../text/format.ts';
import { JsonTree, treeOf } from '../text/json-tree.tsx';
import { Words } from '../text/markdown.tsx';
import { LongText, payloadText, SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import type { DoneRow } from './done-rows.ts';
import type { Evidence } from './evidence.ts';
import { EvidenceButtons } from './evidence-buttons.tsx';
import { OpenTrace } from './trace-links.tsx';
import { WhereFrom } from './where-from.tsx';
import { wholeTextAddress } from './whole-text.ts';

interface StepDetailProps {
  readonly conversation: string;
  readonly row: DoneRow;
  readonly evidence: readonly Evidence[];
  readonly traceUrl?: string | undefined;
  readonly onEvidence: (evidence: Evidence) => void;
}

type Field = (typeof TEXT_FIELDS)[number];
const CODE: readonly Field[] = ['arguments', 'result'];
const FIELDS: readonly (readonly [Field, string])[] = [
  ['error', 'Error'],
  ['thinking', 'Thinking'],
  ['arguments', 'Arguments'],
  ['result', 'Result'],
  ['input', 'Input'],
  ['output', 'Output'],
];
export function StepDetail({ conversation, row, evidence, traceUrl, onEvidence }: StepDetailProps) {
  const { step, durationMs, by } = row;
  const whole = (field: Field) => (step.cut === true ? wholeTextAddress(conversation, step.step_id, field) : undefined);
  const fields = FIELDS.flatMap(([field, title]) => {
    const value: unknown = field in step ? step[field as keyof typeof step] : undefined;
    return value === undefined ? [] : [{ field, title, value }];
  });
  const facts = [
    durationText(durationMs),
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(step.model === undefined ? [] : [step.model]),
    ...(step.tokens === undefined
      ? []
      : [`${countText(step.tokens.input)} tokens in, ${countText(step.tokens.output)} out`]),
    ...(step.cost_usd === undefined ? [] : [dollars(step.cost_usd)]),
    ...(step.dialect === undefined ? [] : [`written by ${step.dialect}`]),
  ];
  return (
    <section class="step-detail" aria-label={`Step ${writtenOut(step.name.slice(0, 80))}`}>
      <div class="step-detail-head">
        <p class="aside">
          <Time at={step.began_at} />
          {', '}
          <SpanText text={facts.join(', ')} />
        </p>
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
      </div>
      <EvidenceButtons words="Rests on it: " evidence={evidence} onEvidence={onEvidence} />
      {fields.length === 0 && <p class="aside">Its content was not captured.</p>}
      {fields.map(({ field, title, value }) => (
        <div key={field} class="step-field">
          <p class="field-name">{title}</p>
          <Payload value={value} whole={whole(field)} isCode={CODE.includes(field)} isError={field === 'error'} />
        </div>
      ))}
      <WhereFrom conversation={conversation} step={step.step_id} />
    </section>
  );
}

interface PayloadProps {
  readonly value: unknown;
  readonly whole: string | undefined;
  /** A text has letters of one width, where it is no tree. */
  readonly isCode: boolean;
  readonly isError: boolean;
}

function Payload({ value, whole, isCode, isError }: PayloadProps) {
  const tree = treeOf(value);
  if (tree !== undefined) return <JsonTree value={tree} />;
  const text = isError ? errorText(payloadText(value)) : payloadText(value);
  return isCode ? <LongText text={text} whole={whole} isCode /> : <Words text={text} whole={whole} />;
}
