/** A conversation as it happened, with what the agent did between question and answer, and nothing that was said of it. */
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import type { StepKind } from '../../model/step.ts';
import { useReply } from '../api/use-reply.ts';
import { Chat, rootOf } from '../conversation/chat.tsx';
import { StepDetail } from '../conversation/step-detail.tsx';
import { stepRows } from '../conversation/step-rows.ts';
import { subAgentOf } from '../conversation/sub-agent.ts';
import { Here } from '../shell/here.tsx';
import { SomeFirst } from '../shell/some-first.tsx';
import { counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

interface ReadConversationProps {
  readonly id: string;
  /** Span id of the step that went wrong first, as the person says. */
  readonly firstWrong: string | undefined;
  readonly onFirstWrong: (span: string | undefined) => void;
}

const HIDDEN = { evidence: { byVerdict: new Map(), bySpan: new Map() }, lit: undefined, onEvidence: () => undefined };
/** Steps that do something. An evaluator's would be a verdict, and a model's has the words of the turn again. */
const SHOWN: readonly StepKind[] = ['tool', 'retrieval', 'memory', 'guardrail', 'plan'];
const STEPS_SHOWN = 50;
const PAYLOAD_CHARACTERS = 240;

export function ReadConversation({ id, firstWrong, onFirstWrong }: ReadConversationProps) {
  const asked = useReply<ConversationDetail>(`/api/v1/conversations/${encodeURIComponent(id)}`);
  const choice = (span: string | undefined, words: string) => {
    if (span === undefined) return null;
    const isChosen = firstWrong === span;
    return (
      <button
        type="button"
        class={isChosen ? 'quiet wrong chosen' : 'quiet wrong'}
        aria-pressed={isChosen}
        onClick={() => onFirstWrong(isChosen ? undefined : span)}
      >
        {isChosen ? '✕ Went wrong here first' : 'Went wrong here?'}
        <span class="only-heard"> {words}</span>
      </button>
    );
  };
  return (
    <Here of={asked}>
      {(conversation) => (
        <>
          <h3 class="only-heard">The conversation</h3>
          {conversation.steps_left_out > 0 && (
            <p class="limits">{`${counted(conversation.steps_left_out, 'step')} of it cannot be shown.`}</p>
          )}
          <Chat
            {...HIDDEN}
            conversation={conversation}
            isFromStart
            between={(turn) => <WhatWasDone conversation={conversation} turn={turn} choice={choice} />}
            beside={(turn) => choice(rootOf(turn)?.span_id, 'the answer')}
          />
        </>
      )}
    </Here>
  );
}

interface WhatWasDoneProps {
  readonly conversation: ConversationDetail;
  readonly turn: TurnJson;
  readonly choice: (span: string | undefined, words: string) => ComponentChild;
}

function WhatWasDone({ conversation, turn, choice }: WhatWasDoneProps) {
  const [open, setOpen] = useState<string | undefined>();
  const rows = stepRows({ turn_list: [turn] })
    .flatMap((row) => (row.is === 'step' ? [{ row, ...row.step, by: subAgentOf(row.step, conversation) }] : []))
    .filter(({ kind, by }) => SHOWN.includes(kind) || (kind === 'agent' && by !== undefined))
    .sort((a, b) => Date.parse(a.began_at) - Date.parse(b.began_at));
  if (rows.length === 0) return null;
  return (
    <SomeFirst of={rows} atATime={STEPS_SHOWN}>
      {(shown) => (
        <ol class="done" aria-label="What the agent did">
          {shown.map(({ row, by, step_id: id, span_id: span, kind, name, status, error, ...of }) => (
            <li key={id}>
              <button
                type="button"
                class="quiet"
                aria-expanded={open === id}
                onClick={() => setOpen(open === id ? undefined : id)}
              >
                <span class="kind">{kind}</span> <SpanText in="b" text={name} charactersMax={120} />
              </button>
              {by !== undefined && by !== name && <SpanText in="span" text={` by ${by} `} charactersMax={60} />}{' '}
              {short(of.arguments ?? of.input)}
              {' → '}
              {status === 'error' && <SpanText in="span" class="failure" text={`failed: ${error ?? 'no reason'} `} />}
              {short(of.result ?? of.output)}
              {choice(span, name)}
              {open === id && (
                <StepDetail
                  {...{ row, ...HIDDEN, evidence: [], subAgent: by, traceUrl: undefined }}
                  conversation={conversation.conversation_id}
                  onClose={() => setOpen(undefined)}
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </SomeFirst>
  );
}

/** The beginning of a payload on one line. */
function short(value: unknown) {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <SpanText in="code" text={text} charactersMax={PAYLOAD_CHARACTERS} />;
}
