/**
 * The state of reading: what is left of the queue, and what this person has answered since it was opened. An answer is
 * sent at once, and the next conversation follows when the service has it.
 */
import { useEffect, useState } from 'preact/hooks';
import type { ReadingQueue } from '../../api/estimate.ts';
import type { ReadingAnswer } from '../../model/readings.ts';
import { ask, type NoReply } from '../api/ask.ts';
import { withChanges } from '../shell/place.ts';

type QueueItem = ReadingQueue['items'][number];

interface Given {
  readonly item: QueueItem;
  readonly answer: ReadingAnswer;
}

interface Held {
  /** The question whose answer this is. */
  readonly of: string;
  /** In their order, the one that is shown first. */
  readonly left: readonly QueueItem[];
  readonly given: readonly Given[];
}

interface Extra {
  readonly note: string;
  /** Span id. */
  readonly firstWrong: string | undefined;
}

export interface Readings {
  /** Undefined while the queue is loaded, or where it is empty. */
  readonly item: QueueItem | undefined;
  readonly isLoading: boolean;
  /** Why there is no queue. */
  readonly problem: NoReply | undefined;
  readonly isSending: boolean;
  /** Why the last answer was not taken. */
  readonly mistake: string | undefined;
  readonly given: readonly Given[];
  /** Counts each change of a reading, for figures that follow. */
  readonly changes: number;
  readonly say: (answer: ReadingAnswer, extra: Extra) => void;
  readonly undo: () => void;
  readonly again: () => void;
}

const LIMIT = '20';
const NOTHING: Held = { of: '', left: [], given: [] };

/** Nothing is asked for a person without a name. */
export function useReadings(filters: URLSearchParams, by: string): Readings {
  const query = withChanges(filters, { by, limit: LIMIT });
  const key = by === '' ? '' : query.toString();
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState(NOTHING);
  const [isLoading, setIsLoading] = useState(true);
  const [problem, setProblem] = useState<NoReply | undefined>();
  const [sending, setSending] = useState<{ readonly is: boolean; readonly mistake?: string }>({ is: false });
  const [changes, setChanges] = useState(0);
  const again = () => {
    setIsLoading(true);
    setRound((one) => one + 1);
  };
  useEffect(() => {
    if (key === '') return;
    const gone = new AbortController();
    void round;
    setIsLoading(true);
    ask<ReadingQueue>('/api/v1/readings/queue', { query, signal: gone.signal })
      .then((reply) => {
        setIsLoading(false);
        setProblem(reply.is === 'here' ? undefined : reply);
        if (reply.is !== 'here') return;
        const left = reply.value.items;
        setHeld((now) => ({ of: key, left, given: now.of === key ? now.given : [] }));
      })
      .catch(() => {
        // Aborted: another question took its place.
      });
    return () => gone.abort();
  }, [key, round]);
  const { left, given } = held.of === key ? held : NOTHING;
  const [item] = left;
  const last = given.at(-1);
  const send = (of: QueueItem, answer: ReadingAnswer | null, extra: object, next: (now: Held) => Held) => {
    setSending({ is: true });
    ask<unknown>('/v1/readings', {
      method: 'PUT',
      body: { conversation_id: of.conversation_id, answer, by, ...extra },
    })
      .then((reply) => {
        setSending(reply.is === 'here' ? { is: false } : { is: false, mistake: reply.why });
        if (reply.is !== 'here') return;
        setChanges((one) => one + 1);
        setHeld(next);
        if (answer !== null && left.length === 1) again();
      })
      .catch((error: unknown) => setSending({ is: false, mistake: String(error) }));
  };
  return {
    ...{ item, problem, given, changes, again },
    isLoading: isLoading || (held.of !== key && problem === undefined),
    ...{ isSending: sending.is, mistake: sending.mistake },
    say: (answer, { note, firstWrong }) => {
      if (item === undefined || sending.is) return;
      const wrong = answer === 'bad' && firstWrong !== undefined ? { first_wrong: firstWrong } : {};
      // A key that is pressed twice must not pass over a conversation.
      send(item, answer, { ...wrong, ...(note === '' ? {} : { note }) }, (now) =>
        now.left[0] === item ? { ...now, left: now.left.slice(1), given: [...now.given, { item, answer }] } : now,
      );
    },
    undo: () => {
      if (last === undefined || sending.is) return;
      send(last.item, null, {}, (now) =>
        now.given.at(-1) === last ? { ...now, left: [last.item, ...now.left], given: now.given.slice(0, -1) } : now,
      );
    },
  };
}
