/**
 * Review: people label what a criterion was asked, one conversation after the other, without seeing its verdict first.
 * Beside it, how far they agree. All of it works from the keyboard.
 */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signedInAs } from '../../model/caller.ts';
import type { SuiteList } from '../../api/suite-list.ts';
import { mayLabel, useMe } from '../api/use-me.ts';
import { useReply } from '../api/use-reply.ts';
import { changeFilter, FilterBar, plainChoices } from '../shell/filter-bar.ts';
import { leaveField, useKeys } from '../shell/keys.ts';
import { Problem } from '../shell/problem.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { counted, countText } from '../text/format.ts';
import { Agreement } from './agreement.ts';
import { ANSWERS } from './answer-bar.ts';
import { keepLabeller, keptLabeller } from './labeller.ts';
import { ReviewedConversation } from './reviewed-conversation.ts';
import { type Review as ReviewState, useReview } from './use-review.ts';

const NOTHING_ASKED = new URLSearchParams();
const BECAUSE = [
  { value: 'balanced', words: 'as many that failed as passed' },
  { value: 'disagreed', words: 'people disagree with it' },
  { value: 'unsure', words: 'the judge could not answer' },
  { value: 'little_decided', words: 'little was decided' },
  { value: 'feedback', words: 'users say the opposite' },
];

export function Review({ place, facets }: ViewProps): JSX.Element {
  const { reply, again } = useReply<SuiteList>('/api/v1/suites', NOTHING_ASKED);
  const me = useMe();
  const [typed, setTyped] = useState(keptLabeller);
  const isReader = me !== undefined && !mayLabel(me);
  const signedIn = me === undefined ? undefined : signedInAs(me);
  // Before it is known who that is, nobody labels.
  const by = me === undefined || isReader ? '' : (signedIn ?? typed);
  const onName = (name: string) => {
    keepLabeller(name);
    setTyped(name);
  };
  const suites = reply?.is === 'here' ? reply.value.suites.filter(({ live }) => live) : [];
  const suite = suites.find(({ name }) => name === place.query.get('suite')) ?? firstWorth(suites);
  const criterion =
    suite?.criteria.find(({ name }) => name === place.query.get('criterion')) ??
    suite?.criteria.find(({ kind }) => kind === 'judge') ??
    suite?.criteria[0];
  const agent = place.query.get('agent') ?? undefined;
  const because = place.query.get('because') ?? 'random';
  const review = useReview(
    suite === undefined || criterion === undefined
      ? undefined
      : { suite: suite.name, criterion: criterion.name, because, agent, by },
  );
  if (reply !== undefined && reply.is !== 'here') return h(Problem, { of: reply, again });
  const filters = [
    {
      name: 'suite',
      label: 'Suite',
      all: suite?.name ?? 'suite',
      choices: plainChoices(suites.map(({ name }) => name)),
    },
    {
      name: 'criterion',
      label: 'Criterion',
      all: criterion?.name ?? 'criterion',
      choices: plainChoices(suite?.criteria.map(({ name }) => name) ?? []),
    },
    { name: 'because', label: 'Why these', all: 'a random sample', choices: BECAUSE },
    ...(facets.agents.length > 1
      ? [{ name: 'agent', label: 'Agent', all: 'all agents', choices: plainChoices(facets.agents) }]
      : []),
  ];
  return h(
    'div',
    { class: 'review' },
    h('h1', { class: 'only-heard' }, 'Review'),
    h(
      FilterBar,
      { place, filters },
      signedIn === undefined
        ? h(Labeller, { by: typed, onName })
        : h('span', { class: 'labeller' }, `You are ${signedIn}`),
    ),
    isReader &&
      h(
        'section',
        { class: 'problem' },
        h('h2', null, 'Your role may not label'),
        h('p', null, 'You may read conversations and figures. Labels take the role ', h('code', null, 'review'), '.'),
      ),
    me !== undefined &&
      !isReader &&
      by === '' &&
      h(
        'p',
        { class: 'limits' },
        'Type your name above: labels say who gave them, so that two people can be compared.',
      ),
    by !== '' &&
      suite !== undefined &&
      criterion !== undefined &&
      h(Queue, {
        key: `${suite.name} ${criterion.name} ${because}`,
        review,
        suite: suite.name,
        criterion: criterion.name,
        question: criterion.question,
        onSample: () => changeFilter(place, 'because', undefined),
      }),
  );
}

/** A suite with a judge, whose answers need people most. */
function firstWorth(suites: SuiteList['suites']): SuiteList['suites'][number] | undefined {
  return suites.find(({ criteria }) => criteria.some(({ kind }) => kind === 'judge')) ?? suites[0];
}

interface QueueProps {
  readonly review: ReviewState;
  readonly suite: string;
  readonly criterion: string;
  readonly question: string;
  readonly onSample: () => void;
}

function Queue({ review, suite, criterion, question, onSample }: QueueProps): JSX.Element {
  const [notes, setNotes] = useState<ReadonlyMap<number, string>>(new Map());
  const { queue, problem, item, at, given } = review;
  const note = notes.get(at) ?? '';
  useKeys([
    ...ANSWERS.map(({ label, key, words }) => ({
      key,
      does: `answer: ${words.toLowerCase()}`,
      press: () => review.say(label, note),
    })),
    { key: 'u', does: 'take your answer back', press: review.undo },
    { key: 'j', does: 'next conversation', press: () => review.move(1) },
    { key: 'k', does: 'previous conversation', press: () => review.move(-1) },
    {
      key: 'enter',
      does: 'next conversation, once answered',
      press: () => review.answer !== undefined && review.move(1),
    },
    { key: 'n', does: 'write a note', press: () => document.querySelector<HTMLInputElement>('.note input')?.focus() },
  ]);
  const items = queue?.items ?? [];
  return h(
    'div',
    { class: 'review-body' },
    h(
      'div',
      { class: 'review-main' },
      problem !== undefined && h(Problem, { of: problem, again: review.again }),
      queue === undefined && problem === undefined && h('p', { class: 'loading', role: 'status' }, 'Loading …'),
      item !== undefined &&
        h(
          'p',
          { class: 'position' },
          `${countText(at + 1)} of ${countText(items.length)}, ${counted(given, 'answer')} given${othersOf(item.people)}`,
        ),
      item !== undefined &&
        h(ReviewedConversation, {
          key: `${item.conversation_id} ${item.turn_id ?? ''}`,
          item,
          suite,
          criterion,
          question,
          review,
          note,
          onNote: (text) => setNotes(new Map([...notes, [at, text]])),
        }),
      queue !== undefined && item === undefined && h(Done, { review, onSample }),
    ),
    h('aside', { class: 'review-side' }, h(Agreement, { suite, criterion, changes: review.changes })),
  );
}

function othersOf(people: number): string {
  return people === 0 ? '' : `, labelled by ${counted(people, 'other person', 'other people')}`;
}

function Done({ review, onSample }: { readonly review: ReviewState; readonly onSample: () => void }): JSX.Element {
  const { queue, given } = review;
  const labelled = (queue?.labelled ?? 0) + given;
  return h(
    'section',
    { class: 'problem' },
    h('h2', null, given > 0 ? 'That was the last one' : 'There is nothing to label here'),
    h(
      'p',
      null,
      `${counted(queue?.looked_at ?? 0, 'evaluation was', 'evaluations were')} looked at, of which you have labelled ${countText(labelled)}.`,
    ),
    h(
      'p',
      null,
      h('button', { type: 'button', onClick: review.again }, 'Look again'),
      ' ',
      h('button', { type: 'button', class: 'quiet', onClick: onSample }, 'Take a random sample'),
    ),
  );
}

function Labeller({ by, onName }: { readonly by: string; readonly onName: (name: string) => void }): JSX.Element {
  // An answer that comes meanwhile must not erase the name.
  const [typed, setTyped] = useState(by);
  return h(
    'label',
    { class: 'labeller' },
    'You are ',
    h('input', {
      type: 'text',
      value: typed,
      maxLength: 200,
      placeholder: 'your name',
      autocomplete: 'username',
      onKeyDown: leaveField,
      onInput: ({ currentTarget }: { readonly currentTarget: EventTarget | null }) => {
        if (currentTarget instanceof HTMLInputElement) setTyped(currentTarget.value);
      },
      onChange: ({ currentTarget }: { readonly currentTarget: EventTarget | null }) => {
        if (currentTarget instanceof HTMLInputElement) onName(currentTarget.value.trim());
      },
    }),
  );
}
