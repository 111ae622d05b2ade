/**
 * Read: people say whether whole conversations went well for their users, in the order of the queue and without seeing
 * what was said of them. Beside it, the success rate that follows. All of it works from the keyboard.
 */
import { useEffect, useState } from 'preact/hooks';
import type { FailuresAnswer } from '../../api/failures.ts';
import type { EstimateAnswer } from '../../api/estimate.ts';
import type { ReadingAnswer } from '../../model/readings.ts';
import { useReply } from '../api/use-reply.ts';
import { useWhoLabels } from '../review/who-labels.tsx';
import { type Filter, FilterBar } from '../shell/filter-bar.tsx';
import { Here, Loading } from '../shell/here.tsx';
import { useKeys } from '../shell/keys.ts';
import { type AgentViewProps, OfOneAgent } from '../shell/of-one-agent.tsx';
import { onlyOf } from '../shell/place.ts';
import { Problem } from '../shell/problem.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { counted } from '../text/format.ts';
import { ReadConversation } from './read-conversation.tsx';
import { ANSWERS, ReadingBar } from './reading-bar.tsx';
import { type Readings, useReadings } from './use-readings.ts';
import { ESTIMATE_FILTERS, notSpokenFor } from './went-well.tsx';

export function Read(props: ViewProps) {
  return <OfOneAgent {...props} title="Read" view={ReadOf} />;
}

function ReadOf({ place, query, filters }: AgentViewProps) {
  const { by, name, note } = useWhoLabels();
  const asked = onlyOf(query, ESTIMATE_FILTERS);
  const estimate = useReply<EstimateAnswer>('/api/v1/estimate', { query: asked });
  const readings = useReadings(onlyOf(query, [...ESTIMATE_FILTERS, 'part']), by);
  const { changes } = readings;
  const { again } = estimate;
  useEffect(() => {
    if (changes > 0) again();
  }, [changes, again]);
  // Asked once: names and notes that are given meanwhile are known here.
  const failures = useReply<FailuresAnswer>('/api/v1/failures', { query: onlyOf(query, ['agent']) });
  const board = failures.reply?.is === 'here' ? failures.reply.value : undefined;
  const known = estimate.reply?.is === 'here' ? estimate.reply.value : undefined;
  return (
    <div class="review">
      <h1 class="only-heard">Read</h1>
      <FilterBar place={place} filters={[...filters, PART]}>
        {name}
      </FilterBar>
      {note}
      <div class="review-body">
        <div class="review-main">
          {known?.enough === true && (
            <p class="limits enough" role="status">
              Enough has been read: ten more readings would hardly narrow the interval. You can read on.
            </p>
          )}
          {by !== '' && <Queue readings={readings} board={board} />}
        </div>
        <aside class="review-side">
          <section aria-label="How many went well">
            <h2>How many went well</h2>
            <Here of={estimate} otherwise={(why) => <p class="mistake">{why}</p>}>
              {(value) => <SoFar estimate={value} own={readings.given.length} />}
            </Here>
          </section>
        </aside>
      </div>
    </div>
  );
}

const READERS_MAX = 5;

/** Several people share the reading out: each opens the address of a part. */
const PART: Filter = {
  name: 'part',
  label: 'Shared',
  all: 'read by me alone',
  choices: Array.from({ length: READERS_MAX - 1 }, (_, index) => index + 2).flatMap((of) =>
    Array.from({ length: of }, (_, index) => ({ value: `${index + 1}/${of}`, words: `part ${index + 1} of ${of}` })),
  ),
};

function SoFar({ estimate, own }: { readonly estimate: EstimateAnswer; readonly own: number }) {
  const { says, next, readings, conversations } = estimate;
  const { sample, out_of_turn: outOfTurn, disagreed, by_two: byTwo } = readings;
  const facts = [
    `${counted(sample, 'conversation')} read${own === 0 ? '' : `, ${own} by you just now`}`,
    ...(outOfTurn === 0 ? [] : [`${outOfTurn} more read out of turn: not in the estimate`]),
    ...(byTwo === 0
      ? []
      : [
          `${counted(byTwo, 'conversation')} read by two people, who ${disagreed === 0 ? 'agreed' : `disagreed about ${disagreed}`}`,
        ]),
    ...notSpokenFor(conversations),
  ];
  return (
    <div class="so-far">
      <p class="says" role="status">
        {says}
      </p>
      <p>{next}</p>
      <ul class="aside">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </div>
  );
}

interface QueueProps {
  readonly readings: Readings;
  /** From which notes and kinds complete. */
  readonly board: FailuresAnswer | undefined;
}

function Queue({ readings, board }: QueueProps) {
  const { item, problem, isLoading, again, undo } = readings;
  const id = item?.conversation_id ?? '';
  const [kept, setKept] = useState({ of: id, note: '', firstWrong: '' });
  const { note, firstWrong } = kept.of === id ? kept : { note: '', firstWrong: '' };
  const say = (answer: ReadingAnswer) =>
    readings.say(answer, {
      ...(note === '' ? {} : { note }),
      ...(answer !== 'bad' || firstWrong === '' ? {} : { first_wrong: firstWrong }),
    });
  useKeys([
    ...ANSWERS.map(({ answer, key, words }) => ({
      key,
      does: `answer: ${words.toLowerCase()}`,
      press: () => say(answer),
    })),
    { key: 'u', does: 'take your last answer back', press: undo },
    { key: 'n', does: 'write a note', press: () => focusOn('.note input') },
    { key: 'k', does: 'name the kind of the failure before', press: () => focusOn('.last-kind input') },
  ]);
  useEffect(() => document.querySelector('main')?.scrollTo(0, 0), [id]);
  if (problem !== undefined) return <Problem of={problem} again={again} />;
  if (item === undefined) return isLoading ? <Loading /> : <NothingLeft readings={readings} />;
  return (
    <div class="reviewed">
      <ReadingBar
        readings={readings}
        board={board}
        note={note}
        onNote={(text) => setKept({ of: id, note: text, firstWrong })}
        onSay={say}
      />
      <ReadConversation
        key={id}
        id={id}
        firstWrong={firstWrong}
        onFirstWrong={(span = '') => setKept({ of: id, note, firstWrong: span })}
      />
    </div>
  );
}

function focusOn(selector: string): void {
  document.querySelector<HTMLInputElement>(selector)?.focus();
}

function NothingLeft({ readings: { given, undo, again, mistake } }: { readonly readings: Readings }) {
  return (
    <section class="problem">
      <h2>{given.length > 0 ? 'That was the last one' : 'There is nothing to read here'}</h2>
      <p>No conversation of this time is left to read. A longer time may have more.</p>
      {mistake !== undefined && <p class="mistake">{mistake}</p>}
      <p>
        <button type="button" onClick={again}>
          Look again
        </button>{' '}
        <button type="button" class="quiet" disabled={given.length === 0} onClick={undo}>
          Undo the last
        </button>
      </p>
    </section>
  );
}
