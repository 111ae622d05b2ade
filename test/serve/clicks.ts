/** Clicks of users as spans and log records have them, and a suite that asks for feedback. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDirectory } from '../temp-directory.ts';

const SUITE = `suite: liked
scope: conversation
min_decided: 0
criteria:
  - { name: liked, question: Did the user like it?, weight: 0.5, needs: [feedback], check: feedback.polarity == "positive" }
  - { name: there, question: Is there anything?, weight: 0.5, check: size(steps) > 0 }
`;

/** Path of a suite with a criterion that asks for feedback. */
export function likedSuiteFile(): string {
  const file = path.join(tempDirectory(), 'liked.yaml');
  writeFileSync(file, SUITE);
  return file;
}

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
});

/** A click that was noted in a trace of its own. */
export function clickSpan(conversation: string, traceId: string, id: string, label: string) {
  const attributes = [attribute('assay.feedback.id', id), attribute('assay.feedback.label', label)];
  const span = {
    traceId,
    spanId: '00000000000000c1',
    name: 'feedback',
    kind: 1,
    startTimeUnixNano: '1790000100000000000',
    endTimeUnixNano: '1790000100000000001',
    attributes: [attribute('gen_ai.conversation.id', conversation)],
    events: [{ timeUnixNano: '1790000100000000000', name: 'assay.feedback', attributes }],
  };
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

export function clickLog(conversation: string, label: string, traceId?: string) {
  const record = {
    timeUnixNano: '1790000200000000000',
    eventName: 'gen_ai.evaluation.result',
    ...(traceId === undefined ? {} : { traceId, spanId: '00000000000000c2' }),
    attributes: [
      attribute('gen_ai.evaluation.name', 'user_feedback.thumbs'),
      attribute('gen_ai.evaluation.score.label', label),
      attribute('gen_ai.evaluation.explanation', 'mail me at the card 4111 1111 1111 1111'),
      attribute('session.id', conversation),
    ],
  };
  return { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
}
