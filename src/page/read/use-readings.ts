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

interface Held {
  /** The question whose answer this is. */
  readonly of: string;
  /** In their order, the one that is shown first. */
  readonly left: readonly QueueItem[];
  readonly given: readonly Given[];
}

interface Given {
  readonly item: QueueItem;
  readonly answer: ReadingAnswer;
  /** Name of the kind of failure. */
  readonly kind?: string;
  readonly note?: string;
}

/** Goes with an answer. */
interface Extra {
  readonly note?: string;
  /** Span id of the first wrong step. */
  readonly first_wrong?: string;
}

/** Without an answer only the kind changes. */
interface Said extends Extra {
  readonly answer?: ReadingAnswer | null;
  readonly kind?: string | null;
}

export type Readings = ReturnType<typeof useReadings>;

const LIMIT = '20';
const NOTHING: Held = { of: '', left: [], given: [] };

/** Nothing is asked for a person without a name. `changes` counts each change of a reading, for figures that follow. */
export function useReadings(filters: URLSearchParams, by: string) {
  const query = withChanges(filters, { by, limit: LIMIT });
  const key = by === '' ? '' : query.toString();
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState(NOTHING);
  const [isLoading, setIsLoading] = useState(true);
  const [problem, setProblem] = useState<NoReply | undefined>();
  const [isSending, setIsSending] = useState(false);
  const [mistake, setMistake] = useState<string | undefined>();
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    if (key === '') return;
    const gone = new AbortController();
    void round;
    ask<ReadingQueue>('/api/v1/readings/queue', { query, signal: gone.signal })
      .then((reply) => {
        setIsLoading(false);
        setProblem(reply.is === 'here' ? undefined : reply);
        if (reply.is !== 'here') return;
        setHeld((now) => ({ of: key, left: reply.value.items, given: now.of === key ? now.given : [] }));
      })
      .catch(() => {
        // Aborted: another question took its place.
      });
    return () => gone.abort();
  }, [key, round]);
  const { left, given } = held.of === key ? held : NOTHING;
  const [item] = left;
  const last = given.at(-1);
  const again = () => {
    setIsLoading(true);
    setRound((one) => one + 1);
  };
  const send = (of: QueueItem | undefined, said: Said, next: (now: Held) => Held) => {
    if (of === undefined || isSending) return;
    setIsSending(true);
    const body = { conversation_id: of.conversation_id, by, ...said };
    // Without a signal it does not reject.
    void ask<unknown>('/v1/readings', { method: 'PUT', body }).then((reply) => {
      setIsSending(false);
      setMistake(reply.is === 'here' ? undefined : reply.why);
      if (reply.is !== 'here') return;
      setChanges((one) => one + 1);
      setHeld(next);
      if (typeof said.answer === 'string' && left.length === 1) again();
    });
  };
  return {
    ...{ item, problem, given, changes, again, isSending, mistake },
    isLoading: isLoading || (held.of !== key && problem === undefined),
    // A key that is pressed twice must not pass over a conversation.
    say: (answer: ReadingAnswer, extra: Extra) =>
      send(item, { answer, ...extra }, (now) =>
        item !== undefined && now.left[0] === item
          ? { ...now, left: now.left.slice(1), given: [...now.given, { item, answer, ...extra }] }
          : now,
      ),
    /** Names the kind of the failure that was read last. */
    name: (kind: string) =>
      send(last?.item, { kind: kind === '' ? null : kind }, (now) =>
        last !== undefined && now.given.at(-1) === last
          ? { ...now, given: [...now.given.slice(0, -1), { ...last, kind }] }
          : now,
      ),
    undo: () =>
      send(last?.item, { answer: null }, (now) =>
        last !== undefined && now.given.at(-1) === last
          ? { ...now, left: [last.item, ...now.left], given: now.given.slice(0, -1) }
          : now,
      ),
  };
}
