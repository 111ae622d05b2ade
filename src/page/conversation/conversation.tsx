/**
 * One conversation: what was said, what was done, and the verdicts beside it. A verdict shows the spans that it rests on,
 * and a span names the verdicts that rest on it.
 */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ConversationDetail, FullEvaluation, VerdictOfCriterion } from '../../api/conversation-detail.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { useService } from '../api/use-service.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { worstFirst } from '../../model/worst-first.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import { Chat } from './chat.tsx';
import { ConversationHead } from './conversation-head.tsx';
import { type Evidence, evidenceOf, verdictKey } from './evidence.ts';
import { History } from './history.tsx';
import { Steps } from './steps.tsx';
import { Verdicts } from './verdicts.tsx';
import { WhatIsKnown } from './what-is-known.tsx';

interface ConversationProps {
  readonly id: string;
  readonly place: Place;
  /** Its place in the list; undefined where the list does not have it. */
  readonly row: { readonly at: number; readonly of: number; readonly hasMore: boolean } | undefined;
  readonly onClose: () => void;
  readonly onStep: (by: number) => void;
}

/** A conversation that is open may go on. */
const OPEN_EVERY_MS = 5_000;

export function Conversation({ id, place, row, onClose, onStep }: ConversationProps) {
  const pane = useRef<HTMLElement>(null);
  const held = useConversation(id);
  useEffect(() => {
    // The pane lies over the list on a small screen: who reads by ear or by keys goes on there.
    if (matchMedia('(max-width: 74.99rem)').matches) pane.current?.focus();
  }, []);
  const { reply } = held;
  useTitle(id, reply?.is === 'here' ? reply.value.turn_list[0]?.asked : undefined);
  return (
    <section ref={pane} class="detail-pane" aria-label="The conversation" tabIndex={-1}>
      <ConversationHead
        id={id}
        query={place.query}
        conversation={reply?.is === 'here' ? reply.value : undefined}
        row={row}
        onClose={onClose}
        onStep={onStep}
      />
      <Here of={held}>{(conversation) => <Body conversation={conversation} place={place} />}</Here>
    </section>
  );
}

const TITLE_CHARACTERS_MAX = 60;

/** A tab is found by the first words of the user; by the id until they are known, or where there are none. */
function useTitle(id: string, asked: string | undefined): void {
  useEffect(() => {
    const before = document.title;
    const words = writtenOut((asked ?? '').slice(0, 4 * TITLE_CHARACTERS_MAX)).trim() || writtenOut(id);
    const isCut = words.length > TITLE_CHARACTERS_MAX;
    const cut = isCut ? `${words.slice(0, TITLE_CHARACTERS_MAX).toWellFormed().trimEnd()}…` : words;
    document.title = `${cut.replace(/\s+/g, ' ')} · Assay`;
    return () => {
      document.title = before;
    };
  }, [id, asked]);
}

function useConversation(id: string): Held<ConversationDetail> {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const first = useReply<ConversationDetail>(path);
  const isSettled =
    first.reply?.is !== 'here' || first.reply.value.state === 'scored' || first.reply.value.state === 'unscored';
  const later = useReply<ConversationDetail>(isSettled ? undefined : path, { everyMs: OPEN_EVERY_MS });
  return later.reply === undefined ? first : later;
}

function Body({ conversation, place }: { readonly conversation: ConversationDetail; readonly place: Place }) {
  const evaluations = conversation.evaluations_full.filter(({ latest, shadow }) => latest && !shadow);
  const evidence = useMemo(() => evidenceOf(evaluations), [conversation]);
  const traceUrl = useService()?.trace_url;
  const chosen = place.query.get('verdict') ?? undefined;
  const step = place.query.get('step') ?? undefined;
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    goTo(addressOf('conversations', withChanges(place.query, changes), conversation.conversation_id), {
      replaces: true,
    });
  const onVerdict = (evaluation: FullEvaluation, verdict: VerdictOfCriterion) => {
    const key = verdictKey(evaluation, verdict);
    change({ verdict: key === chosen ? undefined : key, step: undefined });
  };
  const lit = chosen === undefined ? undefined : evidence.byVerdict.get(chosen);
  const onEvidence = ({ key }: Evidence) => change({ verdict: key });
  return (
    <div class="detail-body">
      <div class="detail-main">
        <Chat conversation={conversation} evidence={evidence} lit={lit} traceUrl={traceUrl} onEvidence={onEvidence} />
        <Steps
          conversation={conversation}
          evidence={evidence}
          lit={lit}
          chosen={step}
          traceUrl={traceUrl}
          golden={
            conversation.golden_suites.length === 0
              ? undefined
              : {
                  isShown: place.query.get('beside') === 'golden',
                  onShow: (isShown) => change({ beside: isShown ? 'golden' : undefined }),
                }
          }
          onStep={(stepId) => change({ step: stepId })}
          onEvidence={onEvidence}
        />
      </div>
      <div class="detail-side">
        <Verdicts
          evaluations={worstFirst(evaluations)}
          all={conversation.evaluations_full}
          turns={conversation.turn_list}
          chosen={chosen}
          onVerdict={onVerdict}
        />
        <WhatIsKnown conversation={conversation} />
        <History evaluations={conversation.evaluations_full} leftOut={conversation.evaluations_left_out} />
      </div>
    </div>
  );
}
