/** All else that is known of a conversation: the truth, what people said, and what came of it in the world. */
import { h, type JSX } from 'preact';
import type { ShownFeedback } from '../../api/feedback.ts';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useSomeFirst } from '../shell/some-first.ts';
import { VerdictMark } from '../text/outcome.ts';
import { LongText, payloadText, SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';

const SHOWN = 20;

export function WhatIsKnown({ conversation }: { readonly conversation: ConversationDetail }): JSX.Element | null {
  const { truth, labels, outcomes, feedback_list: feedback } = conversation;
  const said = useSomeFirst(labels, SHOWN);
  const came = useSomeFirst(outcomes, SHOWN);
  const users = useSomeFirst(feedback, SHOWN);
  if (truth === undefined && labels.length + outcomes.length + feedback.length === 0) return null;
  return h(
    'section',
    { class: 'known' },
    feedback.length > 0 && h('h3', null, 'What users said'),
    feedback.length > 0 && h('ul', null, ...users.shown.map(feedbackLine)),
    users.more,
    labels.length > 0 && h('h3', null, 'What people said'),
    labels.length > 0 &&
      h(
        'ul',
        null,
        ...said.shown.map(({ label_id: id, criterion, label, by, at, note }) =>
          h(
            'li',
            { key: id },
            h(VerdictMark, { verdict: label }),
            h('b', null, h(SpanText, { text: criterion })),
            ' by ',
            h(SpanText, { text: by }),
            ', ',
            h(Time, { at }),
            note !== undefined && ': ',
            note !== undefined && h(SpanText, { text: note, charactersMax: 600 }),
          ),
        ),
      ),
    said.more,
    outcomes.length > 0 && h('h3', null, 'What came of it'),
    outcomes.length > 0 &&
      h(
        'ul',
        null,
        ...came.shown.map(({ name, good, value }) =>
          h(
            'li',
            { key: name },
            h(VerdictMark, { verdict: good ? 'pass' : 'fail' }),
            h(SpanText, { text: value === undefined ? name : `${name}: ${value}` }),
          ),
        ),
      ),
    came.more,
    truth !== undefined &&
      h(
        'details',
        null,
        h('summary', null, 'What was right (truth)'),
        h(LongText, { text: payloadText(truth), isCode: true }),
      ),
  );
}

const MARKS = { positive: 'pass', negative: 'fail', neutral: 'not_applicable' } as const;

function feedbackLine({ id, polarity, name, score, label, comment, user, at, counts, unclear }: ShownFeedback) {
  const said = [label, score === undefined ? undefined : `score ${score}`]
    .filter((one) => one !== undefined)
    .join(', ');
  return h(
    'li',
    { key: id, class: counts ? 'feedback' : 'feedback replaced', title: unclear },
    h(VerdictMark, { verdict: MARKS[polarity] }),
    h('b', null, polarity),
    ' ',
    h(SpanText, { text: said === '' ? name : `${name}: ${said}` }),
    user !== undefined && ' by ',
    user !== undefined && h(SpanText, { text: user }),
    ', ',
    h(Time, { at }),
    !counts && ', replaced by a later one',
    comment !== undefined && ': ',
    comment !== undefined && h(SpanText, { text: comment, charactersMax: 600 }),
  );
}
