/**
 * The state of a review: the queue, the place in it, and what this person has answered since it was opened. An answer is
 * sent at once; the verdict is shown only after the service has it.
 *
 *   asked      no answer yet: the verdict is hidden
 *   sending    keys do nothing
 *   answered   the verdict is shown; `next` goes on, `undo` takes the answer back
 *   seen       taken back: another answer would know the verdict, and the page says so
 */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ConversationDetail, LabelJson } from '../../api/conversation-detail.ts';
import type { ReviewQueue } from '../../api/review.ts';
import type { LabelKind } from '../../model/labels.ts';
import { ask, type NoReply } from '../api/ask.ts';
import { putLabel } from './put-label.ts';

export type QueueItem = ReviewQueue['items'][number];

interface Asked {
  readonly suite: string;
  readonly criterion: string;
  readonly because: string;
  readonly agent: string | undefined;
  readonly by: string;
}

export interface Review {
  /** Name of the person. */
  readonly by: string;
  readonly queue: ReviewQueue | undefined;
  readonly problem: NoReply | undefined;
  readonly at: number;
  readonly item: QueueItem | undefined;
  readonly answer: LabelKind | undefined;
  readonly isSending: boolean;
  /** Its verdict was shown, and the answer taken back. */
  readonly isSeen: boolean;
  /** This person has said something else of it, elsewhere, which the answer would replace. */
  readonly elsewhere: LabelJson | undefined;
  /** Answers of this person since the queue was opened. */
  readonly given: number;
  /** Counts each change of a label, for figures that follow. */
  readonly changes: number;
  readonly say: (label: LabelKind, note: string) => void;
  readonly undo: () => void;
  readonly move: (by: number) => void;
  readonly again: () => void;
}

const LIMIT = '50';

export function useReview(asked: Asked | undefined): Review {
  const key = asked === undefined ? '' : JSON.stringify(asked);
  const [round, setRound] = useState(0);
  const [queue, setQueue] = useState<{ readonly of: string; readonly value: ReviewQueue } | undefined>();
  const [problem, setProblem] = useState<NoReply | undefined>();
  const [at, setAt] = useState(0);
  const [answers, setAnswers] = useState<ReadonlyMap<string, LabelKind>>(new Map());
  const [isSending, setIsSending] = useState(false);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [changes, setChanges] = useState(0);
  const elsewhere = useElsewhere(asked);
  useEffect(() => {
    if (asked === undefined || asked.by === '') return;
    const gone = new AbortController();
    void round;
    ask<ReviewQueue>('/api/v1/review/queue', { query: queryOf(asked), signal: gone.signal })
      .then((reply) => {
        setAt(0);
        setAnswers(new Map());
        setProblem(reply.is === 'here' ? undefined : reply);
        setQueue(reply.is === 'here' ? { of: key, value: reply.value } : undefined);
      })
      .catch(() => {
        // Aborted: another question took its place.
      });
    return () => gone.abort();
  }, [key, round]);
  const isCurrent = queue?.of === key;
  const items = isCurrent ? queue.value.items : [];
  const item = items[at];
  const send = useCallback(
    (of: QueueItem, label: LabelKind | null, note: string, done: () => void) => {
      if (asked === undefined) return;
      setIsSending(true);
      putLabel({ ...asked, conversation: of.conversation_id, turn: of.turn_id, label, note, seen: false })
        .then((reply) => {
          setIsSending(false);
          setProblem(reply.is === 'here' ? undefined : reply);
          if (reply.is !== 'here') return;
          setChanges((one) => one + 1);
          done();
        })
        .catch(() => setIsSending(false));
    },
    [key],
  );
  return {
    by: asked?.by ?? '',
    queue: isCurrent ? queue.value : undefined,
    problem,
    at,
    item,
    answer: item === undefined ? undefined : answers.get(itemKey(item)),
    isSending,
    isSeen: item !== undefined && seen.has(itemKey(item)),
    elsewhere: item === undefined ? undefined : elsewhere.of(item),
    given: answers.size,
    changes,
    say: (label, note) => {
      // After the verdict was shown, a person who follows it would make it look right.
      if (item === undefined || isSending || answers.has(itemKey(item))) return;
      const done = () => setAnswers((now) => new Map([...now, [itemKey(item), label]]));
      const stop = () => setIsSending(false);
      setIsSending(true);
      elsewhere.mayBe(item, label).then((mayBe) => (mayBe ? send(item, label, note, done) : stop()), stop);
    },
    undo: () => {
      const wanted = lastAnswered(items, at, answers);
      const target = items[wanted];
      if (target === undefined || isSending) return;
      send(target, null, '', () => {
        setAt(wanted);
        setSeen((now) => new Set([...now, itemKey(target)]));
        setAnswers((now) => new Map([...now].filter(([one]) => one !== itemKey(target))));
      });
    },
    move: (by) => setAt((now) => Math.max(0, Math.min(items.length, now + by))),
    again: () => setRound((one) => one + 1),
  };
}

/** The one in view, else the last one before it; -1 where none is answered. */
function lastAnswered(items: readonly QueueItem[], at: number, answers: ReadonlyMap<string, LabelKind>): number {
  return items.findLastIndex((one, index) => index <= at && answers.has(itemKey(one)));
}

/** Keeps an answer from replacing another one of the same person that this tab does not know, until they have seen it. */
function useElsewhere(asked: Asked | undefined) {
  const [seen, setSeen] = useState<{ readonly of: string; readonly label: LabelJson } | undefined>();
  return {
    of: (item: QueueItem) => (seen?.of === itemKey(item) ? seen.label : undefined),
    mayBe: async (item: QueueItem, label: LabelKind): Promise<boolean> => {
      if (asked === undefined) return false;
      const isSeen = seen?.of === itemKey(item);
      const said = isSeen ? undefined : await ownLabel(asked, item);
      const isOther = said !== undefined && said.label !== label;
      setSeen(isOther ? { of: itemKey(item), label: said } : undefined);
      return !isOther;
    },
  };
}

/** The last label of this person, from any tab; undefined where that cannot be known. */
async function ownLabel({ suite, criterion, by }: Asked, item: QueueItem): Promise<LabelJson | undefined> {
  const reply = await ask<ConversationDetail>(`/api/v1/conversations/${encodeURIComponent(item.conversation_id)}`);
  const labels = reply.is === 'here' ? reply.value.labels : [];
  return labels.find(
    (one) => one.suite === suite && one.criterion === criterion && one.by === by && one.turn_id === item.turn_id,
  );
}

function queryOf({ suite, criterion, because, agent, by }: Asked): URLSearchParams {
  return new URLSearchParams({
    suite,
    criterion,
    because,
    by,
    limit: LIMIT,
    ...(agent === undefined ? {} : { agent }),
  });
}

function itemKey({ conversation_id: id, turn_id: turn }: QueueItem): string {
  return JSON.stringify([id, turn ?? '']);
}
