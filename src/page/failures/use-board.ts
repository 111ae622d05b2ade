/** The board of kinds of failure, and what a person changes in it: each change is sent at once, and the board follows. */
import { useState } from 'preact/hooks';
import type { FailuresAnswer } from '../../api/failures.ts';
import type { KindState } from '../../model/named-kinds.ts';
import { ask } from '../api/ask.ts';
import { type Held, useReply } from '../api/use-reply.ts';

interface OfReading {
  readonly conversation_id: string;
  readonly by: string;
}

export interface Board {
  readonly asked: Held<FailuresAnswer>;
  readonly isSending: boolean;
  /** Why the last change was not taken. */
  readonly mistake: string | undefined;
  readonly setState: (kind: string, state: KindState) => void;
  /** Renames a kind, or merges it into one that is there. */
  readonly rename: (kind: string, into: string) => void;
  /** Gives readings a kind. */
  readonly name: (readings: readonly OfReading[], kind: string) => void;
}

export function useBoard(query: URLSearchParams, by: string): Board {
  const asked = useReply<FailuresAnswer>('/api/v1/failures', { query });
  const [isSending, setIsSending] = useState(false);
  const [mistake, setMistake] = useState<string | undefined>();
  const put = (path: string, body: unknown) => {
    if (isSending || by === '') return;
    setIsSending(true);
    // Without a signal it does not reject.
    void ask<unknown>(path, { method: 'PUT', body }).then((reply) => {
      setIsSending(false);
      setMistake(reply.is === 'here' ? undefined : reply.why);
      asked.again();
    });
  };
  const agent = query.get('agent') ?? '';
  return {
    ...{ asked, isSending, mistake },
    setState: (kind, state) => put('/v1/failures', { agent, kind, state, by }),
    rename: (kind, into) => into !== kind && into.trim() !== '' && put('/v1/failures', { agent, kind, into, by }),
    name: (readings, kind) =>
      kind.trim() !== '' &&
      put(
        '/v1/readings',
        readings.map(({ conversation_id, by: reader }) => ({ conversation_id, by: reader, kind })),
      ),
  };
}
