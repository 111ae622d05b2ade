/** All else that is known of a conversation: the truth, and what users and other people said. */
import type { ComponentChildren } from 'preact';
import type { ShownFeedback } from '../../api/feedback.ts';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { VerdictMark } from '../text/outcome.tsx';
import { LongText, payloadText, SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

const SHOWN = 20;

export function WhatIsKnown({ conversation }: { readonly conversation: ConversationDetail }) {
  const { truth, labels, feedback_list: all } = conversation;
  const feedback = all.filter(({ polarity, counts }) => polarity !== 'negative' || !counts);
  if (truth === undefined && labels.length + feedback.length === 0) return null;
  return (
    <section class="known">
      <Part title="What users said" of={feedback} line={feedbackLine} />
      <Part title="What people said" of={labels} line={labelLine} />
      {truth !== undefined && (
        <details>
          <summary>What was right (truth)</summary>
          <LongText text={payloadText(truth)} isCode />
        </details>
      )}
    </section>
  );
}

/** Complaints of users come before every verdict: nobody knows better what went wrong. */
export function Complaints({ feedback }: { readonly feedback: readonly ShownFeedback[] }) {
  const bad = feedback.filter(({ polarity, counts }) => polarity === 'negative' && counts);
  if (bad.length === 0) return null;
  return (
    <section class="complaints known">
      <Part title="The user complains" of={bad} line={feedbackLine} />
    </section>
  );
}

interface PartProps<Row> {
  readonly title: string;
  readonly of: readonly Row[];
  readonly line: (row: Row) => ComponentChildren;
}

function Part<Row>({ title, of: rows, line }: PartProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <SomeFirst of={rows} atATime={SHOWN}>
        {(shown) => <ul>{shown.map(line)}</ul>}
      </SomeFirst>
    </>
  );
}

function labelLine({ label_id: id, criterion, label, by, at, note, seen }: ConversationDetail['labels'][number]) {
  return (
    <li key={id}>
      <VerdictMark verdict={label} />
      <SpanText in="b" text={criterion} />
      {' by '}
      <SpanText text={by} />
      {', '}
      <Time at={at} />
      {seen === true && ', with the verdict in sight'}
      {note !== undefined && ': '}
      {note !== undefined && <SpanText text={note} charactersMax={600} />}
    </li>
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
