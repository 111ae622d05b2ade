/**
 * Review: people label what a criterion was asked, one conversation after the other, without seeing its verdict first.
 * Beside it, how far they agree. All of it works from the keyboard.
 */
import { useState } from 'preact/hooks';
import type { SuiteList } from '../../api/suite-list.ts';
import { useReply } from '../api/use-reply.ts';
import { changeFilter, FilterBar, plainChoices } from '../shell/filter-bar.tsx';
import { Loading } from '../shell/here.tsx';
import { useKeys } from '../shell/keys.ts';
import { Problem } from '../shell/problem.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { counted, countText } from '../text/format.ts';
import { Agreement } from './agreement.tsx';
import { ANSWERS } from './answer-bar.tsx';
import { ReviewedConversation } from './reviewed-conversation.tsx';
import { type Review as ReviewState, useReview } from './use-review.ts';
import { useWhoLabels } from './who-labels.tsx';

const BECAUSE = [
  { value: 'balanced', words: 'as many that failed as passed' },
  { value: 'disagreed', words: 'people disagree with it' },
  { value: 'unsure', words: 'the judge could not answer' },
  { value: 'little_decided', words: 'little was decided' },
  { value: 'feedback', words: 'users say the opposite' },
];

export function Review({ place, facets }: ViewProps) {
  const { reply, again } = useReply<SuiteList>('/api/v1/suites');
  const { by, name, note } = useWhoLabels();
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
  if (reply !== undefined && reply.is !== 'here') return <Problem of={reply} again={again} />;
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
  return (
    <div class="review">
      <h1 class="only-heard">Review</h1>
      <FilterBar place={place} filters={filters}>
        {name}
      </FilterBar>
      {note}
      {by !== '' && suite !== undefined && criterion !== undefined && (
        <Queue
          key={`${suite.name} ${criterion.name} ${because}`}
          review={review}
          suite={suite.name}
          criterion={criterion.name}
          question={criterion.question}
          onSample={() => changeFilter(place, 'because', undefined)}
        />
      )}
    </div>
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

function Queue({ review, suite, criterion, question, onSample }: QueueProps) {
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
  return (
    <div class="review-body">
      <div class="review-main">
        {problem !== undefined && <Problem of={problem} again={review.again} />}
        {queue === undefined && problem === undefined && <Loading />}
        {item !== undefined && (
          <p class="position">{`${countText(at + 1)} of ${countText(items.length)}, ${counted(given, 'answer')} given${othersOf(item.people)}`}</p>
        )}
        {item !== undefined && (
          <ReviewedConversation
            key={`${item.conversation_id} ${item.turn_id ?? ''}`}
            item={item}
            suite={suite}
            criterion={criterion}
            question={question}
            review={review}
            note={note}
            onNote={(text) => setNotes(new Map([...notes, [at, text]]))}
          />
        )}
        {queue !== undefined && item === undefined && <Done review={review} onSample={onSample} />}
      </div>
      <aside class="review-side">
        <Agreement suite={suite} criterion={criterion} changes={review.changes} />
      </aside>
    </div>
  );
}

function othersOf(people: number): string {
  return people === 0 ? '' : `, labelled by ${counted(people, 'other person', 'other people')}`;
}

function Done({ review, onSample }: { readonly review: ReviewState; readonly onSample: () => void }) {
  const { queue, given } = review;
  const labelled = (queue?.labelled ?? 0) + given;
  return (
    <section class="problem">
      <h2>{given > 0 ? 'That was the last one' : 'There is nothing to label here'}</h2>
      <p>{`${counted(queue?.looked_at ?? 0, 'evaluation was', 'evaluations were')} looked at, of which you have labelled ${countText(labelled)}.`}</p>
      <p>
        <button type="button" onClick={review.again}>
          Look again
        </button>{' '}
        <button type="button" class="quiet" onClick={onSample}>
          Take a random sample
        </button>
      </p>
    </section>
  );
}
