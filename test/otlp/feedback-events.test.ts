/** Which bytes may carry feedback, asked before they are decoded. */
import { expect, test } from 'vitest';
import { spansMayCarryFeedback } from '../../src/otlp/feedback-events.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';

const ID = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', name: 'a span' };

function bytesOf(...spans: readonly object[]): Uint8Array {
  const scopeSpans = spans.map((span) => ({
    spans: [
      { ...ID, name: 'another' },
      { ...ID, ...span },
    ],
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'assay.feedback' } }] };
  return transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ resource }, { resource, scopeSpans }] })));
}

test.each([
  [{ name: 'assay.feedback' }, false],
  [{ attributes: [{ key: 'said', value: { stringValue: 'user_feedback' } }] }, false],
  [{ events: [{ name: 'gen_ai.choice' }] }, false],
  [{ events: [{ name: 'gen_ai.choice' }, { name: 'assay.feedback' }] }, true],
  [
    {
      events: [
        {
          name: 'gen_ai.evaluation.result',
          attributes: [{ key: 'gen_ai.evaluation.name', value: { stringValue: 'user_feedback.tone' } }],
        },
      ],
    },
    true,
  ],
])('only events of spans can be feedback: %j', (span, may) => {
  expect(spansMayCarryFeedback(bytesOf(span))).toBe(may);
  expect(spansMayCarryFeedback(bytesOf({}, span, {}))).toBe(may);
});

test('spans that were overwritten carry none, and what is left beside them may', () => {
  expect(spansMayCarryFeedback(bytesOf({ events: [{ name: 'assay.feedback' }] }).fill(0, 4))).toBe(false);
  const left = bytesOf({}, { events: [{ name: 'assay.feedback' }] });
  const at = Buffer.from(left).indexOf(ID.name);
  expect(spansMayCarryFeedback(left.fill(0, at - 40, at))).toBe(true);
});
