/** A conversation as it happened, with what the agent did between question and answer, and nothing that was said of it. */
import type { ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import type { StepKind } from '../../model/step.ts';
import { useReply } from '../api/use-reply.ts';
import { Chat, rootOf } from '../conversation/chat.tsx';
import { StepDetail } from '../conversation/step-detail.tsx';
import { type StepRow, stepRows } from '../conversation/step-rows.ts';
import { subAgentOf } from '../conversation/sub-agent.ts';
import { Here } from '../shell/here.tsx';
import { SomeFirst } from '../shell/some-first.tsx';
import { counted } from '../text/format.ts';
import { payloadText, SpanText } from '../text/span-text.tsx';

export interface FirstWrong {
  /** Span id. */
  readonly span: string;
  readonly words: string;
}

interface ReadConversationProps {
  readonly id: string;
  /** Span id of the step that went wrong first, as the person says. */
  readonly firstWrong: string | undefined;
  readonly onFirstWrong: (chosen: FirstWrong | undefined) => void;
}

const HIDDEN = { byVerdict: new Map(), bySpan: new Map() };
/** Steps that do something. An evaluator's would be a verdict, and a model's has the words of the turn again. */
const SHOWN: readonly StepKind[] = ['tool', 'retrieval', 'memory', 'guardrail', 'plan'];
const STEPS_SHOWN = 50;
const PAYLOAD_CHARACTERS = 240;

export function ReadConversation({ id, firstWrong, onFirstWrong }: ReadConversationProps) {
  const asked = useReply<ConversationDetail>(`/api/v1/conversations/${encodeURIComponent(id)}`);
  const choice = (span: string | undefined, words: string) =>
    span === undefined ? null : (
      <button
        type="button"
        class={firstWrong === span ? 'quiet wrong chosen' : 'quiet wrong'}
        aria-pressed={firstWrong === span}
        onClick={() => onFirstWrong(firstWrong === span ? undefined : { span, words })}
      >
        {firstWrong === span ? '✕ Went wrong here first' : 'Went wrong here?'}
        <span class="only-heard"> {words}</span>
      </button>
    );
  return (
    <Here of={asked}>
      {(conversation) => (
        <>
          <h3 class="only-heard">The conversation</h3>
          {conversation.steps_left_out > 0 && (
            <p class="limits">{`${counted(conversation.steps_left_out, 'step')} of it cannot be shown.`}</p>
          )}
          <Chat
            conversation={conversation}
            evidence={HIDDEN}
            lit={undefined}
            onEvidence={() => undefined}
            isFromStart
            between={(turn) => <WhatWasDone conversation={conversation} turn={turn} choice={choice} />}
            beside={(turn) =>
              choice(rootOf(turn)?.span_id, `the answer of turn ${conversation.turn_list.indexOf(turn) + 1}`)
            }
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
  const rows = useMemo(() => doneIn(turn, conversation), [turn, conversation]);
  if (rows.length === 0) return null;
  return (
    <SomeFirst of={rows} atATime={STEPS_SHOWN}>
      {(shown) => (
        <ol class="done" aria-label="What the agent did">
          {shown.map((row) => (
            <li key={row.key}>
              <div class="done-line">
                <DoneLine
                  row={row}
                  by={subAgentOf(row.step, conversation)}
                  isOpen={open === row.key}
                  onOpen={() => setOpen(open === row.key ? undefined : row.key)}
                />
                {choice(row.step.span_id, row.step.name)}
              </div>
              {open === row.key && (
                <StepDetail
                  conversation={conversation.conversation_id}
                  row={row}
                  subAgent={subAgentOf(row.step, conversation)}
                  evidence={[]}
                  traceUrl={undefined}
                  onEvidence={() => undefined}
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

type DoneRow = Extract<StepRow, { is: 'step' }>;

function doneIn(turn: TurnJson, conversation: ConversationDetail): readonly DoneRow[] {
  return stepRows({ turn_list: [turn] })
    .flatMap((row) => (row.is === 'step' && isDone(row, conversation) ? [row] : []))
    .sort((a, b) => Date.parse(a.step.began_at) - Date.parse(b.step.began_at));
}

function isDone({ step }: DoneRow, conversation: ConversationDetail): boolean {
  const isHandedOn = step.kind === 'agent' && subAgentOf(step, conversation) !== undefined;
  return SHOWN.includes(step.kind) || isHandedOn;
}

interface DoneLineProps {
  readonly row: DoneRow;
  /** Name of the sub-agent that did it. */
  readonly by: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function DoneLine({ row: { step }, by, isOpen, onOpen }: DoneLineProps) {
  const { kind, name, status, error, arguments: given = step.input, result = step.output } = step;
  return (
    <div>
      <button type="button" class="quiet" aria-expanded={isOpen} onClick={onOpen}>
        <span class="kind">{kind}</span> <SpanText in="b" text={name} charactersMax={120} />
      </button>{' '}
      {by !== undefined && by !== name && <SpanText in="span" class="actor" text={`by ${by}`} charactersMax={60} />}
      {given !== undefined && <SpanText in="code" text={oneLine(given)} charactersMax={PAYLOAD_CHARACTERS} />}
      {result !== undefined && <span aria-hidden="true"> → </span>}
      {result !== undefined && <SpanText in="code" text={oneLine(result)} charactersMax={PAYLOAD_CHARACTERS} />}
      {status === 'error' && <SpanText in="span" class="failure" text={`failed: ${error ?? 'no reason recorded'}`} />}
    </div>
  );
}

function oneLine(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? payloadText(value));
}
