/** All of a step: what went in, what came out, and the verdicts that rest on it. */
import { h, type JSX } from 'preact';
import type { TEXT_FIELDS } from '../../api/conversation-detail.ts';
import { Copy } from '../text/copy.ts';
import { countText, dollars, durationText } from '../text/format.ts';
import { VerdictMark } from '../text/outcome.ts';
import { LongText, payloadText, SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';
import type { Evidence } from './evidence.ts';
import type { StepRow } from './step-rows.ts';
import { OpenTrace } from './trace-links.ts';
import { WhereFrom } from './where-from.ts';
import { wholeTextAddress } from './whole-text.ts';

interface StepDetailProps {
  readonly conversation: string;
  readonly row: Extract<StepRow, { is: 'step' }>;
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

export function StepDetail(props: StepDetailProps): JSX.Element {
  const { conversation, row, evidence, traceUrl, onEvidence, onClose } = props;
  const { step, durationMs } = row;
  const whole = (field: Field) => (step.cut === true ? wholeTextAddress(conversation, step.step_id, field) : undefined);
  const fields = FIELDS.flatMap(([field, title]) => {
    const value: unknown = field in step ? step[field as keyof typeof step] : undefined;
    return value === undefined ? [] : [{ field, title, text: payloadText(value) }];
  });
  const facts = [
    durationText(durationMs),
    ...(step.model === undefined ? [] : [step.model]),
    ...(step.tokens === undefined
      ? []
      : [`${countText(step.tokens.input)} tokens in, ${countText(step.tokens.output)} out`]),
    ...(step.cost_usd === undefined ? [] : [dollars(step.cost_usd)]),
    ...(step.dialect === undefined ? [] : [`written by ${step.dialect}`]),
  ];
  return h(
    'section',
    { class: 'step-detail', 'aria-label': 'The chosen step' },
    h(
      'div',
      { class: 'step-detail-head' },
      h('h4', null, h(SpanText, { text: step.name })),
      step.span_id !== undefined && h(Copy, { label: 'Copy span id', text: step.span_id }),
      h(OpenTrace, {
        template: traceUrl,
        of: 'step',
        place: {
          trace_id: step.trace_id,
          span_id: step.span_id,
          start_ms: Date.parse(step.began_at),
          end_ms: Date.parse(step.ended_at),
          conversation_id: conversation,
        },
      }),
      h('button', { type: 'button', class: 'quiet', onClick: onClose }, 'Close step'),
    ),
    h('p', { class: 'aside' }, h(Time, { at: step.began_at }), ', ', h(SpanText, { text: facts.join(', ') })),
    evidence.length > 0 &&
      h(
        'p',
        { class: 'turn-verdicts' },
        'Rests on it: ',
        ...evidence.map((one) =>
          h(
            'button',
            { key: one.key, type: 'button', class: 'quiet', onClick: () => onEvidence(one) },
            h(VerdictMark, { verdict: one.verdict }),
            one.criterion,
          ),
        ),
      ),
    fields.length === 0 && h('p', { class: 'aside' }, 'Its content was not captured.'),
    ...fields.map(({ field, title, text }) =>
      h(
        'div',
        { key: field, class: 'step-field' },
        h('h5', null, title),
        h(LongText, { text, whole: whole(field), isCode: CODE.includes(field) || /^\s*[[{]/.test(text) }),
      ),
    ),
    h(WhereFrom, { conversation, step: step.step_id }),
  );
}
