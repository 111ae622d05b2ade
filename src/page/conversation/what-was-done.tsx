/** The steps of a turn, between the question and the answer. */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { TurnJson } from '../../api/conversation-detail.ts';
import { counted } from '../text/format.ts';
import type { ShownConversation } from './shown-conversation.ts';
import { DoneStep } from './done-step.tsx';
import { doneRows, isFailed } from './done-rows.ts';
import { failedHere } from './evidence.ts';
import { Stretches } from './stretches.tsx';

interface DoneProps extends ShownConversation {
  readonly turn: TurnJson;
  /** The answer below, which has the verdicts of the spans that are not among the steps shown. */
  readonly answer: (shown: ReadonlySet<string>) => ComponentChildren;
}

const STEPS_SHOWN = 40;

export function WhatWasDone({ turn, answer, conversation, evidence, lit, look, onStep, ...props }: DoneProps) {
  const [isAll, setAll] = useState(false);
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const chosen = look?.turn === turn.turn_id ? look.step : undefined;
  const { rows, others } = useMemo(
    () => doneRows(turn, conversation, { isAll, chosen }),
    [turn, conversation, isAll, chosen],
  );
  const toggle = (id: string, isOpen: boolean) => {
    setOpened(new Map([...opened, [id, !isOpen]]));
    onStep?.(isOpen ? undefined : id);
  };
  return (
    <>
      {rows.length > 0 && (
        <ol class="done" aria-label="What the agent did">
          <Stretches
            of={rows}
            atATime={STEPS_SHOWN}
            wanted={rows.findIndex(({ step }) => step.step_id === chosen)}
            name="steps"
          >
            {(row) => {
              const { step_id: id, span_id: span } = row.step;
              const has = span === undefined ? [] : (evidence.bySpan.get(span) ?? []);
              const isOpen = opened.get(id) ?? (isFailed(row.step) || id === chosen || has.some(failedHere));
              return (
                <DoneStep
                  key={id}
                  row={row}
                  conversation={conversation.conversation_id}
                  evidence={has}
                  isLit={span !== undefined && lit?.includes(span) === true}
                  isChosen={id === chosen}
                  isOpen={isOpen}
                  onToggle={() => toggle(id, isOpen)}
                  {...props}
                />
              );
            }}
          </Stretches>
        </ol>
      )}
      {(others > 0 || isAll) && (
        <p class="other-spans">
          <button type="button" class="quiet" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer spans' : `Show ${counted(others, 'more span')}`}
          </button>
        </p>
      )}
      {answer(new Set(rows.map(({ step }) => step.step_id)))}
    </>
  );
}
