/** The steps of a conversation: a tree beside a time line, and below it the step that is chosen. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useWindow } from '../shell/use-window.ts';
import { counted } from '../text/format.ts';
import type { Evidence, EvidenceLinks } from './evidence.ts';
import { GoldenView } from './golden-view.tsx';
import { StepDetail } from './step-detail.tsx';
import { StepLine } from './step-line.tsx';
import { subAgentOf } from './sub-agent.ts';
import { type StepRow, stepRows } from './step-rows.ts';

interface StepsProps {
  readonly conversation: ConversationDetail;
  readonly evidence: EvidenceLinks;
  /** Spans that the chosen verdict rests on. */
  readonly lit: readonly string[] | undefined;
  /** The id of the step whose details are shown. */
  readonly chosen: string | undefined;
  /** Template of links to traces. */
  readonly traceUrl?: string | undefined;
  /** The calls beside a golden trace instead of the tree; undefined where nobody may see it, or there is none. */
  readonly golden?: { readonly isShown: boolean; readonly onShow: (isShown: boolean) => void } | undefined;
  readonly onStep: (stepId: string | undefined) => void;
  readonly onEvidence: (evidence: Evidence) => void;
}

export function Steps(props: StepsProps) {
  const { conversation, evidence, lit, chosen, traceUrl, golden, onStep, onEvidence } = props;
  const rows = useMemo(() => stepRows(conversation), [conversation]);
  const frame = useRef<HTMLDivElement>(null);
  const { first, last, heightOf, scrollTo } = useWindow(frame, { count: rows.length, rowHeight: '--step-row' });
  const firstLit = lit === undefined ? -1 : rows.findIndex((row) => row.is === 'step' && isLit(row, lit));
  const shownStep = chosen ?? (firstLit < 0 ? undefined : rows[firstLit]?.key);
  useEffect(() => {
    const index = chosen === undefined ? firstLit : rows.findIndex(({ key }) => key === chosen);
    if (index >= 0) scrollTo(index);
  }, [chosen, firstLit, rows]);
  const detail = rows.find((row) => row.is === 'step' && row.key === shownStep);
  const count = rows.filter(({ is }) => is === 'step').length;
  return (
    <section class="steps" aria-label="What was done">
      <h3>
        {counted(count, 'step')}
        {conversation.steps_left_out > 0 && (
          <span class="aside">{` and ${counted(conversation.steps_left_out, 'step')} that ${conversation.steps_left_out === 1 ? 'is' : 'are'} not shown`}</span>
        )}
        {golden !== undefined && (
          <button
            type="button"
            class="quiet"
            aria-pressed={golden.isShown}
            onClick={() => golden.onShow(!golden.isShown)}
          >
            {golden.isShown ? 'Show the time line' : 'Compare with golden trace'}
          </button>
        )}
      </h3>
      {golden?.isShown === true && <GoldenView conversation={conversation} chosen={chosen} onStep={onStep} />}
      <div ref={frame} class="step-frame" tabIndex={-1} hidden={golden?.isShown === true}>
        <ol class="step-rows" ref={heightOf(rows.length)}>
          {rows.slice(first, last).map((row, offset) => (
            <li
              key={row.key}
              ref={heightOf.place(first + offset)}
              aria-setsize={rows.length}
              aria-posinset={first + offset + 1}
            >
              {row.is === 'turn' ? (
                <p class="turn-line">{`Turn ${row.number}`}</p>
              ) : (
                <StepLine
                  row={row}
                  evidence={row.step.span_id === undefined ? [] : (evidence.bySpan.get(row.step.span_id) ?? [])}
                  subAgent={subAgentOf(row.step, conversation)}
                  isLit={lit !== undefined && isLit(row, lit)}
                  isChosen={row.key === shownStep}
                  onChoose={() => onStep(row.key === chosen ? undefined : row.key)}
                />
              )}
            </li>
          ))}
        </ol>
      </div>
      {detail?.is === 'step' && (
        <StepDetail
          key={detail.key}
          conversation={conversation.conversation_id}
          subAgent={subAgentOf(detail.step, conversation)}
          row={detail}
          traceUrl={traceUrl}
          evidence={detail.step.span_id === undefined ? [] : (evidence.bySpan.get(detail.step.span_id) ?? [])}
          onEvidence={onEvidence}
          onClose={() => onStep(undefined)}
        />
      )}
    </section>
  );
}

function isLit(row: Extract<StepRow, { is: 'step' }>, lit: readonly string[]): boolean {
  return row.step.span_id !== undefined && lit.includes(row.step.span_id);
}
