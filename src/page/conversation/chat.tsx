/** A conversation as it happened: turn by turn what the user said, what the agent did, and what it answered. */
import type { TurnJson } from '../../api/conversation-detail.ts';
import type { LinkedPlace } from '../../model/trace-link.ts';
import { errorText } from '../text/error-text.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { failedIn } from './evidence.ts';
import { EvidenceButtons } from './evidence-buttons.tsx';
import { anchorOf } from './in-sight.ts';
import { Said } from './said.tsx';
import type { ShownConversation } from './shown-conversation.ts';
import { Stretches } from './stretches.tsx';
import { OpenTrace } from './trace-links.tsx';
import { WhatWasDone } from './what-was-done.tsx';
import { wholeTextAddress } from './whole-text.ts';

const TURNS_SHOWN = 20;

export function Chat(props: ShownConversation) {
  const { conversation, look } = props;
  const { turn_list: turns, content, content_note: note, steps_left_out: left } = conversation;
  return (
    <section class="chat" aria-label="The conversation as it happened">
      {content !== 'whole' && <p class="limits">{note ?? `The content of this conversation is ${content}.`}</p>}
      {turns.length === 0 && content === 'whole' && <p class="aside">Nothing of what was said is stored.</p>}
      {left > 0 && <p class="limits">{`It has more steps than one answer holds: ${left} are not shown.`}</p>}
      <ol class="turns">
        <Stretches
          of={turns}
          atATime={TURNS_SHOWN}
          wanted={turns.findIndex(({ turn_id: id }) => id === look?.turn)}
          name="turns"
        >
          {(turn, index) => <Turn key={turn.turn_id} {...props} turn={turn} number={index + 1} />}
        </Stretches>
      </ol>
    </section>
  );
}

type TurnProps = ShownConversation & { readonly turn: TurnJson; readonly number: number };

function Turn({ turn, number, ...props }: TurnProps) {
  const { conversation, evidence, lit, look, traceUrl, onEvidence } = props;
  const { turn_id: turnId, asked, answered, attached = [], error, cut, began_at: at } = turn;
  const { conversation_id: id } = conversation;
  const isLit = turn.steps.some(({ span_id: span }) => span !== undefined && lit?.includes(span) === true);
  const isMeant = look?.turn === turnId;
  const whole = (field: 'asked' | 'answered') => (cut === true ? wholeTextAddress(id, turnId, field) : undefined);
  return (
    <li id={anchorOf({ turn: turnId })} class={isLit || isMeant ? 'turn lit' : 'turn'}>
      {conversation.turn_list.length > 1 && <h3 class="turn-number">{`Turn ${number}`}</h3>}
      {turn.doubts !== undefined && <Doubts doubts={turn.doubts} />}
      <Said
        by="user"
        text={asked}
        whole={whole('asked')}
        missing={
          attached.length > 0
            ? 'It was sent without words, or they were not captured.'
            : 'The question was not captured.'
        }
        beside={
          <>
            <Time at={at} /> <OpenTrace template={traceUrl} of="turn" place={placeOf(turn, id)} />
          </>
        }
      >
        {attached.map((one, index) => (
          // Only named: what a span points to is never loaded.
          <p key={`${index} ${one}`} class="aside">
            {'With '}
            <SpanText text={one} charactersMax={400} />
          </p>
        ))}
      </Said>
      <WhatWasDone
        {...props}
        turn={turn}
        answer={(shown) => (
          <Said
            by="agent"
            beside={props.besideAnswer?.(turn)}
            text={answered}
            whole={whole('answered')}
            missing={
              error === undefined ? 'The agent gave no answer, or it was not captured.' : 'The agent gave no answer.'
            }
          >
            {error !== undefined && (
              <p class="failure">
                {'Failed: '}
                <SpanText text={errorText(error)} charactersMax={1_000} />
              </p>
            )}
            <EvidenceButtons evidence={failedIn(turn, evidence, shown)} onEvidence={onEvidence} />
          </Said>
        )}
      />
    </li>
  );
}

/** A template that asks for a span gets the turn's first one without a parent. */
function placeOf(turn: TurnJson, conversation: string): LinkedPlace {
  const root = rootOf(turn);
  return {
    trace_id: root?.trace_id ?? turn.trace_ids[0] ?? '',
    span_id: root?.span_id,
    start_ms: Date.parse(turn.began_at),
    end_ms: Date.parse(turn.ended_at),
    conversation_id: conversation,
  };
}

/** The first span of a turn without a parent. */
export function rootOf({ steps }: TurnJson): TurnJson['steps'][number] | undefined {
  return steps.find(({ parent, span_id: span }) => parent === undefined && span !== undefined);
}

/** Signs that the turn was not understood, above it, with what helps. */
function Doubts({ doubts }: { readonly doubts: NonNullable<TurnJson['doubts']> }) {
  return (
    <details class="limits doubts">
      <summary>{`Not read as it happened: ${doubts.map(({ what }) => what).join('; ')}.`}</summary>
      <ul>
        {doubts.map(({ doubt, remedy }) => (
          <li key={doubt}>{remedy}</li>
        ))}
      </ul>
    </details>
  );
}
