/** A conversation as it happened, with a question beside each step and answer, and nothing that was said of it. */
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { useReply } from '../api/use-reply.ts';
import { Chat, rootOf } from '../conversation/chat.tsx';
import { NO_EVIDENCE } from '../conversation/evidence.ts';
import { Here } from '../shell/here.tsx';

interface ReadConversationProps {
  readonly id: string;
  /** Span id of the step that went wrong first, as the person says. */
  readonly firstWrong: string | undefined;
  readonly onFirstWrong: (span: string | undefined) => void;
}

const nothing = () => undefined;

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
          <Chat
            conversation={conversation}
            evidence={NO_EVIDENCE}
            lit={undefined}
            look={undefined}
            onEvidence={nothing}
            besideStep={choice}
            besideAnswer={(turn) => choice(rootOf(turn)?.span_id, 'the answer')}
          />
        </>
      )}
    </Here>
  );
}
