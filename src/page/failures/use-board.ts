/** The board of kinds of failure, and what a person changes in it: each change is sent at once, and the board follows. */
import { useState } from 'preact/hooks';
import type { FailedConversation, FailuresAnswer } from '../../api/failures.ts';
import type { KindState } from '../../model/named-kinds.ts';
import { ask } from '../api/ask.ts';
import { useReply } from '../api/use-reply.ts';

export type Board = ReturnType<typeof useBoard>;

/** `mistake` is why the last change was not taken. */
export function useBoard(query: URLSearchParams, by: string) {
  const asked = useReply<FailuresAnswer>('/api/v1/failures', { query });
  const [isSending, setIsSending] = useState(false);
  const [mistake, setMistake] = useState<string | undefined>();
  const isDisabled = isSending || by === '';
  const put = (path: string, body: unknown) => {
    if (isDisabled) return;
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
    ...{ agent, asked, isDisabled, mistake },
    /** Names of all kinds. */
    kinds: asked.reply?.is === 'here' ? asked.reply.value.kinds.map(({ name }) => name) : [],
    setState: (kind: string, state: KindState) => put('/v1/failures', { agent, kind, state, by }),
    /** Renames a kind, or merges it into one that is there. */
    rename: (kind: string, into: string) => {
      if (into !== kind && into !== '') put('/v1/failures', { agent, kind, into, by });
    },
    /** Gives readings a kind. */
    name: (readings: readonly FailedConversation[], kind: string) => {
      const body = readings.map(({ conversation_id, by: reader }) => ({ conversation_id, by: reader, kind }));
      if (kind !== '') put('/v1/readings', body);
    },
  };
}
