/** A suite whose name nobody knows is a mistake: without a word, it looks as if the suite had found nothing. */
import { type AskedApi, asked, ToolProblem } from '../mcp/asked-api.ts';
import { conversationList } from '../api/conversation-list.ts';
import { suiteList } from '../api/suite-list.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';

/** A suite that runs no longer is known by what it evaluated. Nothing is refused where nothing answers. */
export async function refuseUnknownSuites(names: readonly string[], api: AskedApi): Promise<void> {
  if (names.length === 0) return;
  try {
    const since = new Date().toISOString();
    const { suites } = await asked(api, { method: 'GET', path: '/api/v1/suites', query: { since } }, suiteList);
    const running = new Set(suites.map(({ name }) => name));
    for (const name of new Set(names)) {
      if (running.has(name) || (await hasEvaluated(name, api))) continue;
      const there =
        running.size === 0 ? 'none runs' : `there are ${[...running].map((one) => safe(one, 60)).join(', ')}`;
      throw new CommandFailure(
        `--suite: no suite ${JSON.stringify(safe(name, 60))} is known: it does not run and has evaluated nothing that is stored; ${there}`,
        EXIT.input,
      );
    }
  } catch (error) {
    // The export itself says it better.
    if (!(error instanceof ToolProblem)) throw error;
  }
}

async function hasEvaluated(suite: string, api: AskedApi): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const query = { suite, limit: 1, cursor };
    const page = await asked(api, { method: 'GET', path: '/api/v1/conversations', query }, conversationList);
    if (page.conversations.length > 0) return true;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return false;
}
