/** The words of user and agent, turn by turn, with the verdicts that rest on the turn under the answer. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import { decisionOf } from '../../model/decision.ts';
import type { LinkedPlace } from '../../model/trace-link.ts';
import { errorText } from '../text/error-text.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import type { Evidence, EvidenceLinks } from './evidence.ts';
import { EvidenceButtons } from './evidence-buttons.tsx';
import { Said } from './said.tsx';
import { OpenTrace } from './trace-links.tsx';
import { wholeTextAddress } from './whole-text.ts';

interface ChatProps {
  readonly conversation: ConversationDetail;
  readonly evidence: EvidenceLinks;
  readonly lit: readonly string[] | undefined;
  /** Template of links to traces. */
  readonly traceUrl?: string | undefined;
  readonly onEvidence: (evidence: Evidence) => void;
  /** Shown between the question and the answer, such as the steps of the agent. */
  readonly between?: ((turn: TurnJson) => ComponentChildren) | undefined;
  /** Shown beside the name of the agent. */
  readonly beside?: ((turn: TurnJson) => ComponentChildren) | undefined;
  /** Shows a long conversation from its beginning. */
  readonly isFromStart?: boolean;
}

/** A conversation of hundreds of turns is shown from its end, where it went wrong or right. */
const TURNS_SHOWN = 20;

export function Chat({ conversation, isFromStart = false, ...each }: ChatProps) {
  const [shown, setShown] = useState(TURNS_SHOWN);
  const { turn_list: turns, content, content_note: note } = conversation;
  const left = Math.max(0, turns.length - shown);
  const more = left > 0 && (
    <p>
      <button type="button" class="quiet" onClick={() => setShown(shown + TURNS_SHOWN)}>
        {`Show ${isFromStart ? 'later' : 'earlier'} turns (${left})`}
      </button>
    </p>
  );
  return (
    <section class="chat" aria-label="What was said">
      {content !== 'whole' && <p class="limits">{note ?? `The content of this conversation is ${content}.`}</p>}
      {turns.length === 0 && content === 'whole' && <p class="aside">Nothing of what was said is stored.</p>}
      {!isFromStart && more}
      {(isFromStart ? turns.slice(0, shown) : turns.slice(left)).map((turn) => (
        <Turn key={turn.turn_id} id={conversation.conversation_id} turn={turn} {...each} />
      ))}
      {isFromStart && more}
    </section>
  );
}

function Turn({
  id,
  turn,
  evidence,
  lit,
  traceUrl,
  onEvidence,
  between,
  beside,
}: Omit<ChatProps, 'conversation' | 'isFromStart'> & { readonly id: string; readonly turn: TurnJson }) {
  const { turn_id: turnId, asked, answered, error, cut, began_at: at } = turn;
  const isLit = lit !== undefined && turn.steps.some(({ span_id: span }) => span !== undefined && lit.includes(span));
  const whole = (field: 'asked' | 'answered') => (cut === true ? wholeTextAddress(id, turnId, field) : undefined);
  return (
    <div class={isLit ? 'turn lit' : 'turn'}>
      {turn.doubts !== undefined && <Doubts doubts={turn.doubts} />}
      <Said
        by="user"
        text={asked}
        whole={whole('asked')}
        missing="The question was not captured."
        beside={
          <>
            <Time at={at} /> <OpenTrace template={traceUrl} of="turn" place={placeOf(turn, id)} />
          </>
        }
      />
      {between?.(turn)}
      <Said
        by="agent"
        beside={beside?.(turn)}
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
      </Said>
      <EvidenceButtons evidence={failedIn(turn, evidence)} onEvidence={onEvidence} />
    </div>
  );
}

function failedIn({ steps }: TurnJson, { bySpan }: EvidenceLinks): readonly Evidence[] {
  const failed = steps.flatMap(({ span_id: span }) => (span === undefined ? [] : (bySpan.get(span) ?? [])));
  return [
    ...new Map(failed.filter(({ verdict }) => decisionOf(verdict) === 'fail').map((one) => [one.key, one])).values(),
  ];
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
