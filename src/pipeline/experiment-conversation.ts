/** The conversation of a run, from the spans that its experiment kept. */
import type { Settings } from '../config/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { CaseRun } from '../model/experiment.ts';
import type { Exchange } from './preferring.ts';
import { conversationOfRun } from './recorded-run.ts';

export interface ExperimentReader {
  /** Undefined where nothing of it was kept. */
  conversationOf(folder: string, run: CaseRun): Promise<Conversation | undefined>;
  exchangeOf(folder: string, run: CaseRun): Promise<Exchange | undefined>;
}

export function experimentReader(settings: Pick<Settings, 'conversation'>): ExperimentReader {
  const conversationOf = (folder: string, run: CaseRun) => conversationOfRun(folder, run, settings);
  return {
    conversationOf,
    exchangeOf: async (folder, run) => {
      const found = await conversationOf(folder, run);
      return found === undefined ? undefined : exchangeIn(found);
    },
  };
}

/** What was asked and answered, turn by turn where there are several. */
function exchangeIn({ turns }: Conversation): Exchange {
  const all = (texts: readonly string[]) =>
    texts.length === 1 ? (texts[0] ?? '') : texts.map((text, index) => `${index + 1}. ${text}`).join('\n\n');
  return {
    request: all(turns.map(({ userInput }) => userInput.text)),
    answer: all(turns.map(({ finalAnswer }) => finalAnswer.text)),
  };
}
