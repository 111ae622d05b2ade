/** `since` in a query. */
import { z } from 'zod';
import { timeSince } from '../../../model/since.ts';

export const since = z.string().transform((text, context) => {
  const time = timeSince(text, Date.now());
  if (time !== undefined) return time;
  context.addIssue({
    code: 'custom',
    message: 'expected a time such as 2026-11-21T08:00:00Z or a duration such as 24h',
  });
  return z.NEVER;
});
