/**
 * Holds the reply to a question of a view. While another question is on its way the old reply stays, marked as old, so
 * that nothing jumps. It stays as well while the service is away: a reader loses nothing by a restart of the service.
 */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ask, type Reply } from './ask.ts';

export interface Held<T> {
  /** Undefined before the first reply. */
  readonly reply: Reply<T> | undefined;
  /** The reply is to an earlier question, or from before the service went away. */
  readonly isOld: boolean;
  /** Why the service gave no later reply; undefined where it did. */
  readonly away: string | undefined;
  readonly again: () => void;
}

interface Known<T> {
  /** The question. */
  readonly to: string;
  readonly reply: Reply<T>;
  readonly away?: string;
}

interface ReplyOptions {
  readonly query?: URLSearchParams | undefined;
  /** Asks again after each reply while the page is visible. */
  readonly everyMs?: number | undefined;
  /** Without a later reply in this time the service is away. The first one may take longer. */
  readonly withinMs?: number;
}

const NOTHING_ASKED = new URLSearchParams();

export function useReply<T>(
  path: string | undefined,
  { query = NOTHING_ASKED, everyMs, withinMs }: ReplyOptions = {},
): Held<T> {
  const question = path === undefined ? undefined : `${path}?${query.toString()}`;
  const [held, setHeld] = useState<Known<T> | undefined>();
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((one) => one + 1), []);
  useEffect(() => {
    if (path === undefined || question === undefined) return;
    const gone = new AbortController();
    // The round is a reason to ask again, and no part of the question.
    void round;
    const isLater = held?.to === question;
    ask<T>(path, { query, signal: gone.signal, ...(isLater && withinMs !== undefined ? { withinMs } : {}) })
      .then((reply) => setHeld((before) => later(before, { to: question, reply })))
      .catch(() => {
        // Aborted: nobody waits for it.
      });
    return () => gone.abort();
  }, [question, round]);
  useEffect(() => {
    if (everyMs === undefined || held === undefined) return;
    const timer = setTimeout(() => (document.hidden ? undefined : again()), everyMs);
    const onVisible = () => (document.hidden ? undefined : again());
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [held, everyMs, again]);
  const isOld = held !== undefined && (held.to !== question || held.away !== undefined);
  return { reply: held?.reply, isOld, away: held?.away, again };
}

function later<T>(before: Known<T> | undefined, now: Known<T>): Known<T> {
  const stays = now.reply.is === 'away' && before?.reply.is === 'here' && before.to === now.to;
  return stays ? { ...before, away: now.reply.why } : now;
}
