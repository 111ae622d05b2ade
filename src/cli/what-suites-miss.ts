/** Bad outcomes of an import that the suites miss: they call these conversations fine. */
import { z } from 'zod';
import { conversationItem } from '../api/conversation-list.ts';
import { counted } from '../model/counted.ts';
import { CommandFailure } from './exit-codes.ts';
import { printTable } from './print-table.ts';
import { type AskedService, ask, reading } from './running-service.ts';
import { percent, safe, type Terminal } from './terminal.ts';

/** The API takes 50. With ids of usual lengths the address is one that every proxy takes. */
const IDS_MAX = 50;
const EXAMPLES_MAX = 5;
const SAID_MAX = 100;

const { conversation_id, agent, began_at, asked } = conversationItem.shape;
const exampleSchema = z.object({ conversation_id, agent, began_at, asked });
const listSchema = z.object({ conversations: z.array(exampleSchema), looked_at: z.number() });

/** Counts conversations that the service has. Undefined where it does not show them: the outcomes are stored all the same. */
export async function whatSuitesMiss(
  outcomes: readonly { readonly conversation_id: string; readonly good: boolean }[],
  { url, token }: AskedService,
  terminal: Terminal,
) {
  let [known, bad, called_fine] = [0, 0, 0];
  let examples: readonly z.infer<typeof exampleSchema>[] = [];
  try {
    for (const [isGood, own] of Map.groupBy(outcomes, ({ good }) => good))
      for (let first = 0; first < own.length; first += IDS_MAX) {
        const ids = own.slice(first, first + IDS_MAX).map(({ conversation_id: id }) => ['conversation_id', id]);
        const query = new URLSearchParams([...ids, ['called_fine', 'true'], ['limit', isGood ? '1' : `${IDS_MAX}`]]);
        const answer = await ask(new URL(`/api/v1/conversations?${query}`, url), reading(token));
        // The service looks at those of the ids that it has, and lists those that are called fine.
        const { conversations, looked_at: there } = listSchema.parse(answer);
        known += there;
        terminal.progress(`${known} of ${counted(outcomes.length, 'outcome')} compared with the suites`);
        if (isGood) continue;
        bad += there;
        called_fine += conversations.length;
        const latest = [...examples, ...conversations].toSorted((a, b) => b.began_at.localeCompare(a.began_at));
        examples = latest.slice(0, EXAMPLES_MAX);
      }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    terminal.err(`the outcomes are stored; what the suites miss cannot be read: ${error.message}`);
    return undefined;
  } finally {
    terminal.progressDone();
  }
  return { known, bad, called_fine, examples };
}

export function printMissed(
  terminal: Terminal,
  { known, bad, called_fine: fine, examples }: NonNullable<Awaited<ReturnType<typeof whatSuitesMiss>>>,
  { outcomes, url }: { readonly outcomes: number; readonly url: string },
): void {
  if (known < outcomes) terminal.out(`outcomes of conversations that the service does not have: ${outcomes - known}`);
  if (bad === 0) return;
  const how = fine === 0 ? 'none of them fine' : `${fine} of them fine (${percent(fine / bad)})`;
  terminal.out(`${bad} of ${counted(known, 'outcome is', 'outcomes are')} bad; the suites call ${how}`);
  if (fine === 0) return;
  printTable(
    terminal,
    examples.map((one) => [one.conversation_id, one.agent, safe(one.asked ?? '', SAID_MAX)]),
  );
  terminal.out(`All that are bad and called fine: ${safe(new URL('/conversations?came_out=missed', url).href)}`);
}
