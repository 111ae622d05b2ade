/** All else that is known of a conversation: the truth, what people said, and what came of it in the world. */
import type { ShownFeedback } from '../../api/feedback.ts';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useSomeFirst } from '../shell/some-first.tsx';
import { VerdictMark } from '../text/outcome.tsx';
import { LongText, payloadText, SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

const SHOWN = 20;

export function WhatIsKnown({ conversation }: { readonly conversation: ConversationDetail }) {
  const { truth, labels, outcomes, feedback_list: feedback } = conversation;
  const said = useSomeFirst(labels, SHOWN);
  const came = useSomeFirst(outcomes, SHOWN);
  const users = useSomeFirst(feedback, SHOWN);
  if (truth === undefined && labels.length + outcomes.length + feedback.length === 0) return null;
  return (
    <section class="known">
      {feedback.length > 0 && <h3>What users said</h3>}
      {feedback.length > 0 && <ul>{users.shown.map(feedbackLine)}</ul>}
      {users.more}
      {labels.length > 0 && <h3>What people said</h3>}
      {labels.length > 0 && (
        <ul>
          {said.shown.map(({ label_id: id, criterion, label, by, at, note }) => (
            <li key={id}>
              <VerdictMark verdict={label} />
              <b>
                <SpanText text={criterion} />
              </b>
              {' by '}
              <SpanText text={by} />
              {', '}
              <Time at={at} />
              {note !== undefined && ': '}
              {note !== undefined && <SpanText text={note} charactersMax={600} />}
            </li>
          ))}
        </ul>
      )}
      {said.more}
      {outcomes.length > 0 && <h3>What came of it</h3>}
      {outcomes.length > 0 && (
        <ul>
          {came.shown.map(({ name, good, value }) => (
            <li key={name}>
              <VerdictMark verdict={good ? 'pass' : 'fail'} />
              <SpanText text={value === undefined ? name : `${name}: ${value}`} />
            </li>
          ))}
        </ul>
      )}
      {came.more}
      {truth !== undefined && (
        <details>
          <summary>What was right (truth)</summary>
          <LongText text={payloadText(truth)} isCode />
        </details>
      )}
    </section>
  );
}

const MARKS = { positive: 'pass', negative: 'fail', neutral: 'not_applicable' } as const;

function feedbackLine({ id, polarity, name, score, label, comment, user, at, counts, unclear }: ShownFeedback) {
  const said = [label, score === undefined ? undefined : `score ${score}`]
    .filter((one) => one !== undefined)
    .join(', ');
  return (
    <li key={id} class={counts ? 'feedback' : 'feedback replaced'} title={unclear}>
      <VerdictMark verdict={MARKS[polarity]} />
      <b>{polarity}</b> <SpanText text={said === '' ? name : `${name}: ${said}`} />
      {user !== undefined && ' by '}
      {user !== undefined && <SpanText text={user} />}
      {', '}
      <Time at={at} />
      {!counts && ', replaced by a later one'}
      {comment !== undefined && ': '}
      {comment !== undefined && <SpanText text={comment} charactersMax={600} />}
    </li>
  );
}
