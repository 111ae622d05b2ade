/** Asks what moved weights would have given. The last answer stays meanwhile, marked as old. */
import { useEffect, useState } from 'preact/hooks';
import type { WhatIf } from '../../api/what-if.ts';
import { ask, type Reply } from '../api/ask.ts';

/** Others are asking, or this reader's last question is still being answered. */
const BUSY_MS = 1_000;
const BUSY_TIMES_MAX = 20;

interface HeldAnswer {
  readonly reply: Reply<WhatIf> | undefined;
  readonly isOld: boolean;
}

/** Undefined asks nothing. `question` is JSON. */
export function useWhatIf(question: string | undefined): HeldAnswer {
  const [held, setHeld] = useState<{ readonly to: string; readonly reply: Reply<WhatIf> } | undefined>();
  useEffect(() => {
    if (question === undefined) return;
    const gone = new AbortController();
    let timer: number | undefined;
    const later = (ms: number, busyTimes: number) => {
      timer = window.setTimeout(() => {
        const sent = { method: 'POST', body: JSON.parse(question) as object, signal: gone.signal } as const;
        ask<WhatIf>('/api/v1/what-if', sent)
          .then((reply) => {
            if (reply.is === 'away' && reply.isBusy === true && busyTimes < BUSY_TIMES_MAX)
              later(BUSY_MS, busyTimes + 1);
            else setHeld({ to: question, reply });
          })
          .catch(() => {
            // Aborted: nobody waits for it.
          });
      }, ms);
    };
    later(0, 0);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [question]);
  if (question === undefined) return { reply: undefined, isOld: false };
  return { reply: held?.reply, isOld: held?.to !== question };
}
