/**
 * One conversation: what was said and done, in its order, and the verdicts beside it. A verdict shows the step that it
 * rests on, and a step names the verdicts that rest on it.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { useService } from '../api/use-service.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { useKeys } from '../shell/keys.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import { Chat } from './chat.tsx';
import { ConversationHead } from './conversation-head.tsx';
import { type Evidence, evidenceOf, failuresInOrder, lookAt, verdictKey } from './evidence.ts';
import { GoldenView } from './golden-view.tsx';
import { History } from './history.tsx';
import { anchorOf, useInSight, verdictAnchor } from './in-sight.ts';
import { Moves } from './moves.tsx';
import { SayWrong } from './say-wrong.tsx';
import { Verdicts } from './verdicts.tsx';
import { Complaints, WhatIsKnown } from './what-is-known.tsx';

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
      <Here of={held}>
        {(conversation) => (
          <Body
            conversation={conversation}
            query={place.query}
            place={(changes) =>
              goTo(addressOf('conversations', withChanges(place.query, changes), id), { replaces: true })
            }
          />
        )}
      </Here>
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

type Changes = Readonly<Record<string, string | undefined>>;

interface BodyProps {
  readonly conversation: ConversationDetail;
  readonly query: URLSearchParams;
  /** Changes the address. */
  readonly place: (changes: Changes) => void;
}

function Body({ conversation, place, query }: BodyProps) {
  const evaluations = useMemo(
    () => conversation.evaluations_full.filter(({ latest, shadow }) => latest && !shadow),
    [conversation],
  );
  const evidence = useMemo(() => evidenceOf(evaluations), [evaluations]);
  const traceUrl = useService()?.trace_url;
  const [verdict, step, turn] = ['verdict', 'step', 'turn'].map((name) => query.get(name) ?? undefined);
  const look = lookAt(conversation, { verdict, step, turn }, evidence);
  // Counted, so that a second click on the same shows it again after somebody scrolled away.
  const [asked, setAsked] = useState({ count: 0, wants: 'place' as 'place' | 'verdict' });
  const show = (changes: Changes, wants: 'place' | 'verdict' = 'place') => {
    setAsked(({ count }) => ({ count: count + 1, wants }));
    place(changes);
  };
  const anchors = [
    ...(verdict === undefined ? [] : [verdictAnchor(verdict)]),
    ...(look === undefined ? [] : [anchorOf(look)]),
  ];
  useInSight(asked.wants === 'place' ? anchors : anchors.toReversed(), JSON.stringify([asked.count, anchors]));
  const failures = useMemo(() => failuresInOrder(conversation, evidence), [conversation, evidence]);
  const go = (by: number) => {
    const at = verdict === undefined ? (by > 0 ? -1 : failures.length) : failures.indexOf(verdict);
    const next = failures.at((at + by) % failures.length);
    if (next !== undefined) show({ verdict: next, step: undefined, turn: undefined });
  };
  useKeys([
    { key: 'n', does: 'next failure in the conversation', press: () => go(1) },
    { key: 'p', does: 'previous failure', press: () => go(-1) },
  ]);
  const onEvidence = ({ key }: Evidence) => show({ verdict: key, turn: undefined }, 'verdict');
  const isGolden = query.get('beside') === 'golden';
  return (
    <div class="detail-body">
      <div class="detail-side">
        <Complaints feedback={conversation.feedback_list} />
        <Verdicts
          evaluations={evaluations}
          all={conversation.evaluations_full}
          turns={conversation.turn_list}
          chosen={verdict}
          beside={(given) => (
            <SayWrong conversation={conversation.conversation_id} labels={conversation.labels} given={given} />
          )}
          onVerdict={(evaluation, one) =>
            show({ verdict: verdictKey(evaluation, one), step: undefined, turn: undefined })
          }
        />
        <WhatIsKnown conversation={conversation} />
        <History evaluations={conversation.evaluations_full} leftOut={conversation.evaluations_left_out} />
      </div>
      <div class="detail-main">
        <Moves
          conversation={conversation}
          evidence={evidence}
          failures={failures.length}
          shown={look?.turn}
          isGolden={isGolden}
          onTurn={(id) => show({ turn: id, verdict: undefined, step: undefined })}
          onFailure={() => go(1)}
          onGolden={() => place({ beside: isGolden ? undefined : 'golden' })}
        />
        {isGolden && (
          <GoldenView conversation={conversation} chosen={step} onStep={(id) => show({ step: id, turn: undefined })} />
        )}
        <Chat
          conversation={conversation}
          evidence={evidence}
          lit={verdict === undefined ? undefined : evidence.byVerdict.get(verdict)}
          look={look}
          traceUrl={traceUrl}
          onStep={(id) => place({ step: id })}
          onEvidence={onEvidence}
        />
      </div>
    </div>
  );
}
