/**
 * Holds the reply to a question of a view. While another question is on its way the old reply stays, marked as old, so
 * that nothing jumps.
 */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ask, type Reply } from './ask.ts';

export interface Held<T> {
  /** Undefined before the first reply. */
  readonly reply: Reply<T> | undefined;
  /** The reply is to an earlier question. */
  readonly isOld: boolean;
  readonly again: () => void;
}

/** `everyMs` asks again after each reply while the page is visible. */
export function useReply<T>(
  path: string | undefined,
  query: URLSearchParams,
  { everyMs }: { readonly everyMs?: number | undefined } = {},
): Held<T> {
  const question = path === undefined ? undefined : `${path}?${query.toString()}`;
  const [held, setHeld] = useState<{ readonly to: string; readonly reply: Reply<T> } | undefined>();
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((one) => one + 1), []);
  useEffect(() => {
    if (path === undefined || question === undefined) return;
    const gone = new AbortController();
    // The round is a reason to ask again, and no part of the question.
    void round;
    ask<T>(path, { query, signal: gone.signal })
      .then((reply) => setHeld({ to: question, reply }))
      .catch(() => {
        // Aborted: nobody waits for it.
      });
    return () => gone.abort();
  }, [question, round]);
  useEffect(() => {
    if (everyMs === undefined || held === undefined) return;
    const timer = setTimeout(() => (document.hidden ? undefined : again()), everyMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [held, everyMs, again]);
  return { reply: held?.reply, isOld: held !== undefined && held.to !== question, again };
}
