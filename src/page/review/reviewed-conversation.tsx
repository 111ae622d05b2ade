/** The conversation under review: what was said and done, without any verdict until the person has answered. */
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useReply } from '../api/use-reply.ts';
import { Chat } from '../conversation/chat.tsx';
import { evidenceOf, NO_EVIDENCE } from '../conversation/evidence.ts';
import { Here } from '../shell/here.tsx';
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

export function ReviewedConversation(props: ReviewedProps) {
  const { item, suite, criterion, question, review, note, onNote } = props;
  const path = `/api/v1/conversations/${encodeURIComponent(item.conversation_id)}`;
  const asked = useReply<ConversationDetail>(path);
  const known = asked.reply?.is === 'here' ? asked.reply.value : undefined;
  const { answer } = review;
  const evaluations = known?.evaluations_full.filter(
    ({ latest, shadow, suite: of, turn_id: turn }) => latest && !shadow && of === suite && turn === item.turn_id,
  );
  const verdict = evaluations?.flatMap(({ verdicts }) => verdicts).find((one) => one.criterion === criterion);
  const evidence = answer === undefined ? NO_EVIDENCE : evidenceOf(evaluations ?? []);
  const lit = answer === undefined ? undefined : verdict?.evidence;
  return (
    <div class="reviewed">
      <AnswerBar
        review={review}
        question={question}
        verdict={answer === undefined ? undefined : verdict}
        note={note}
        onNote={onNote}
      />
      <Here of={asked}>
        {(whole) => {
          const conversation = upTo(whole, item.turn_id);
          const { length } = conversation.turn_list;
          return (
            <>
              {item.turn_id !== undefined && length > 1 && (
                <p class="limits">{`The question is about the last turn shown, turn ${length}.`}</p>
              )}
              <Chat
                conversation={conversation}
                evidence={evidence}
                lit={lit}
                look={item.turn_id === undefined || length < 2 ? undefined : { turn: item.turn_id }}
                onEvidence={() => undefined}
              />
              <BeyondTheQuestion
                conversation={whole}
                by={review.by}
                isAnswered={answer !== undefined}
                whyNotRead={
                  answer !== undefined || review.isSeen
                    ? 'This can be said only before its verdict is shown.'
                    : length < whole.turn_list.length
                      ? 'Later turns are hidden here: the whole can be read under Read.'
                      : undefined
                }
              />
            </>
          );
        }}
      </Here>
    </div>
  );
}

/** Later turns would tell the person what came of it. */
function upTo(conversation: ConversationDetail, turnId: string | undefined): ConversationDetail {
  const { turn_list: turns } = conversation;
  const at = turns.findIndex(({ turn_id: id }) => id === turnId);
  return at < 0 ? conversation : { ...conversation, turn_list: turns.slice(0, at + 1) };
}
