/**
 * The list of conversations, a page at a time. Rows never move by themselves: conversations that came or changed since are
 * counted, and shown when somebody asks.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ConversationItem, ConversationList } from '../../api/conversation-list.ts';
import { ask, type NoReply } from '../api/ask.ts';
import { withChanges } from '../shell/place.ts';

export interface LoadedList {
  readonly rows: readonly ConversationItem[];
  /** They answer the question that is asked now; those of the question before stay until its answer comes. */
  readonly isCurrent: boolean;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem: NoReply | undefined;
  /** Conversations that the service looked at, of which it gave those that match. */
  readonly lookedAt: number;
  /** All that match; undefined where the service did not count them. */
  readonly total: number | undefined;
  /** Conversations of the first page that are new or have changed. */
  readonly fresh: number;
  readonly more: () => void;
  readonly showFresh: () => void;
  readonly again: () => void;
}

interface Loaded {
  readonly to: string;
  readonly rows: readonly ConversationItem[];
  readonly next: string | null;
  readonly lookedAt: number;
  readonly total: number | undefined;
  readonly problem: NoReply | undefined;
}

const PATH = '/api/v1/conversations';
/** Rows are kept in memory; who needs more than these narrows the filters. */
const ROWS_MAX = 10_000;
const FRESH_EVERY_MS = 10_000;

export function useConversations(query: URLSearchParams): LoadedList {
  const question = query.toString();
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const [isLoading, setIsLoading] = useState(true);
  const loading = useRef<AbortController | undefined>(undefined);
  const load = useCallback(
    (from: Loaded | undefined) => {
      loading.current?.abort();
      const gone = new AbortController();
      loading.current = gone;
      setIsLoading(true);
      const asked = withChanges(new URLSearchParams(question), { cursor: from?.next ?? undefined });
      ask<ConversationList>(PATH, { query: asked, signal: gone.signal }).then(
        (reply) => {
          setIsLoading(false);
          if (reply.is !== 'here') {
            setLoaded({ ...(from ?? EMPTY), to: question, problem: reply });
            return;
          }
          const { conversations, next, looked_at: lookedAt, total } = reply.value;
          setLoaded({
            to: question,
            rows: withoutTwice([...(from?.rows ?? []), ...conversations]),
            next,
            lookedAt: (from?.lookedAt ?? 0) + lookedAt,
            total: total ?? from?.total,
            problem: undefined,
          });
        },
        () => {
          // Aborted: another question took its place.
        },
      );
      return gone;
    },
    [question],
  );
  useEffect(() => {
    // The round is a reason to ask again, and no part of the question.
    void round;
    const gone = load(undefined);
    return () => gone.abort();
  }, [load, round]);
  const isCurrent = loaded?.to === question;
  const rows = loaded?.rows ?? [];
  const hasMore = isCurrent && loaded.next !== null && rows.length < ROWS_MAX;
  const again = useCallback(() => setRound((one) => one + 1), []);
  return {
    rows,
    isCurrent,
    hasMore,
    isLoading,
    problem: loaded?.problem,
    lookedAt: loaded?.lookedAt ?? 0,
    total: loaded?.total,
    fresh: useFresh(question, isCurrent ? rows : undefined),
    more: () => {
      if (hasMore && !isLoading) load(loaded);
    },
    showFresh: again,
    again,
  };
}

const EMPTY: Loaded = { to: '', rows: [], next: null, lookedAt: 0, total: undefined, problem: undefined };

/** A conversation that changes between two pages may be on both. */
function withoutTwice(rows: readonly ConversationItem[]): readonly ConversationItem[] {
  return [...new Map(rows.map((row) => [row.conversation_id, row])).values()];
}

/** Looks at the first page from time to time. Undefined while there is no list to compare it with. */
function useFresh(question: string, rows: readonly ConversationItem[] | undefined): number {
  const [fresh, setFresh] = useState(0);
  useEffect(() => {
    setFresh(0);
    if (rows === undefined) return;
    const known = new Map(rows.map((row) => [row.conversation_id, stateOf(row)]));
    const gone = new AbortController();
    const look = async () => {
      if (document.hidden) return;
      const reply = await ask<ConversationList>(PATH, { query: new URLSearchParams(question), signal: gone.signal });
      if (reply.is !== 'here') return;
      setFresh(reply.value.conversations.filter((one) => known.get(one.conversation_id) !== stateOf(one)).length);
    };
    const timer = setInterval(() => {
      look().catch(() => {
        // Aborted: the list is gone.
      });
    }, FRESH_EVERY_MS);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [question, rows]);
  return fresh;
}

function stateOf({ updated_at: at, revision, state }: ConversationItem): string {
  return `${at} ${revision} ${state}`;
}
