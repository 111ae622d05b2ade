/** Readings of a conversation: who read it, the answer, the first wrong step, the kind of failure and the note. */
import type { ConversationDetail, ReadingOfConversation } from '../../api/conversation-detail.ts';
import { useInSight } from './in-sight.ts';
import { addressOf, withChanges } from '../shell/place.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { CameOut } from '../text/came-out.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

interface ReadingsProps {
  readonly conversation: ConversationDetail;
  /** Filters of the list, and what is chosen in the conversation. */
  readonly query: URLSearchParams;
}

const SHOWN = 5;

function readingAnchor(by: string): string {
  return `reading ${by}`;
}

export function Readings({ conversation, query }: ReadingsProps) {
  const { readings } = conversation;
  const meant = query.get('reading') ?? undefined;
  useInSight(meant === undefined ? [] : [readingAnchor(meant)], meant);
  if (readings.length === 0) return null;
  // The one that a link means is among the first.
  const inOrder = readings.toSorted((a, b) => Number(b.by === meant) - Number(a.by === meant));
  return (
    <section class="read-as" aria-label="How people read it">
      {'Read as '}
      <SomeFirst of={inOrder} atATime={SHOWN}>
        {(shown) => (
          <ul class="head-readings">
            {shown.map((one) => (
              <li
                key={`${one.source} ${one.by}`}
                id={readingAnchor(one.by)}
                class={one.by === meant ? 'lit' : undefined}
              >
                <Reading {...{ one, conversation, query }} />
              </li>
            ))}
          </ul>
        )}
      </SomeFirst>
    </section>
  );
}

function Reading({ one, conversation, query }: ReadingsProps & { readonly one: ReadingOfConversation }) {
  const { by, source, answer, at, kind, note, first_wrong: wrong } = one;
  const { agent, conversation_id: id, turn_list: turns } = conversation;
  const step = turns.flatMap(({ steps }) => steps).find(({ span_id: span }) => wrong !== undefined && span === wrong);
  return (
    <>
      {answer === 'cannot_tell' ? 'cannot tell' : <CameOut isGood={answer === 'good'} />}
      {source === 'agent' ? ' by the program ' : ' by '}
      <SpanText in="b" text={by} charactersMax={80} />
      {', '}
      <a href={addressOf('conversations', withChanges(query, { reading: by }), id)} title="A link to this reading">
        <Time at={at} />
      </a>
      {kind !== undefined && (
        <>
          {', kind '}
          <a href={addressOf('conversations', new URLSearchParams({ agent, kind }))}>
            <SpanText text={kind} />
          </a>
        </>
      )}
      {wrong !== undefined && (
        <>
          {', went wrong first at '}
          {step === undefined ? (
            <SpanText in="code" text={wrong} charactersMax={40} />
          ) : (
            <a href={addressOf('conversations', withChanges(query, { step: step.step_id }), id)}>
              <SpanText text={step.name} charactersMax={80} />
            </a>
          )}
        </>
      )}
      {note !== undefined && <SpanText in="span" class="aside" text={` ${note}`} charactersMax={600} />}
    </>
  );
}
