/** The time that `--since` of a command names. */
import { timeSince } from '../model/since.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';

export function sinceOf(text: string | undefined, now: number = Date.now()): number | undefined {
  if (text === undefined) return undefined;
  const time = timeSince(text, now);
  if (time !== undefined) return time;
  throw new CommandFailure(
    `--since ${safe(text, 60)}: expected a stretch such as 24h or 7d, or a time such as 2026-11-21T08:00:00Z`,
    EXIT.usage,
  );
}
