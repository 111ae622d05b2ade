/** The configured judge that reads a prompt for `assay suite draft --judge`. */
import { clientFor } from '../ask/judge-scheduler.ts';
import type { Settings } from '../config/settings.ts';
import { NANOS } from '../model/questions.ts';
import type { ToAsk } from '../offline/draft/asked-rules.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';

export function modelFor(name: string | undefined, { judging: { judges, budget } }: Settings): ToAsk | undefined {
  if (name === undefined) return undefined;
  const judge = judges.find((one) => one.name === name);
  const known = judges.length === 0 ? 'none is' : `there are ${judges.map((one) => one.name).join(', ')}`;
  if (judge === undefined)
    throw new CommandFailure(`--judge ${safe(name, 60)}: no such judge is configured: ${known}`, EXIT.usage);
  return { judge, client: clientFor(judge), budgetNanos: Math.floor(budget.perHour * NANOS) };
}
