/** The conversation under review: what was said and done, without any verdict until the person has answered. */
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useReply } from '../api/use-reply.ts';
import { Chat } from '../conversation/chat.tsx';
import { type EvidenceLinks, evidenceOf } from '../conversation/evidence.ts';
import { Steps } from '../conversation/steps.tsx';
import { Problem } from '../shell/problem.tsx';
import { useState } from 'preact/hooks';
import { AnswerBar } from './answer-bar.tsx';
import { BeyondTheQuestion } from './beyond-the-question.tsx';
import type { QueueItem, Review } from './use-review.ts';

interface ReviewedProps {
  readonly item: QueueItem;
  readonly suite: string;
  readonly criterion: string;
  readonly question: string;
  readonly review: Review;
  readonly note: string;
  readonly onNote: (note: string) => void;
}

const NOTHING_ASKED = new URLSearchParams();
const HIDDEN: EvidenceLinks = { byVerdict: new Map(), bySpan: new Map() };

export function ReviewedConversation(props: ReviewedProps) {
  const { item, suite, criterion, question, review, note, onNote } = props;
  const path = `/api/v1/conversations/${encodeURIComponent(item.conversation_id)}`;
  const { reply, again } = useReply<ConversationDetail>(path, NOTHING_ASKED);
  const [step, setStep] = useState<string | undefined>();
  const known = reply?.is === 'here' ? reply.value : undefined;
  const { answer } = review;
  const evaluations = known?.evaluations_full.filter(
    ({ latest, shadow, suite: of, turn_id: turn }) => latest && !shadow && of === suite && turn === item.turn_id,
  );
  const verdict = evaluations?.flatMap(({ verdicts }) => verdicts).find((one) => one.criterion === criterion);
  const evidence = answer === undefined ? HIDDEN : evidenceOf(evaluations ?? []);
  const lit = answer === undefined ? undefined : verdict?.evidence;
  const shown = known === undefined ? undefined : upTo(known, item.turn_id);
  return (
    <div class="reviewed">
      <AnswerBar
        question={question}
        answer={answer}
        verdict={answer === undefined ? undefined : verdict}
        isSending={review.isSending}
        isSeen={review.isSeen}
        elsewhere={review.elsewhere}
        note={note}
        onNote={onNote}
        onSay={(label) => review.say(label, note)}
        onUndo={review.undo}
        onNext={() => review.move(1)}
      />
      {item.turn_id !== undefined && shown !== undefined && shown.turn_list.length > 1 && (
        <p class="limits">{`The question is about the last turn shown, turn ${shown.turn_list.length}.`}</p>
      )}
      {reply === undefined && (
        <p class="loading" role="status">
          Loading …
        </p>
      )}
      {reply !== undefined && reply.is !== 'here' && <Problem of={reply} again={again} />}
      {shown !== undefined && <Chat conversation={shown} evidence={evidence} lit={lit} onEvidence={() => undefined} />}
      {shown !== undefined && (
        <Steps
          conversation={shown}
          evidence={evidence}
          lit={lit}
          chosen={step}
          onStep={setStep}
          onEvidence={() => undefined}
        />
      )}
      {known !== undefined && <BeyondTheQuestion conversation={known} isAnswered={answer !== undefined} />}
    </div>
  );
}

/** Later turns would tell the person what came of it. */
function upTo(conversation: ConversationDetail, turnId: string | undefined): ConversationDetail {
  const { turn_list: turns } = conversation;
  const at = turns.findIndex(({ turn_id: id }) => id === turnId);
  return at < 0 ? conversation : { ...conversation, turn_list: turns.slice(0, at + 1) };
}
