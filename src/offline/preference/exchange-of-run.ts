/**
 * Writes what was asked and answered in a run, turn by turn if there are several, for a judge that compares two runs.
 */
import type { Settings } from '../../config/settings.ts';
import type { CaseRun } from '../../model/experiment.ts';
import type { Exchange } from './prefer.ts';
import { conversationOfRun } from '../../engine/recorded/recorded-run.ts';

/** Undefined where nothing of it was kept. */
export async function exchangeOfRun(
  folder: string,
  run: CaseRun,
  settings: Pick<Settings, 'conversation'>,
): Promise<Exchange | undefined> {
  const conversation = await conversationOfRun(folder, run, settings);
  if (conversation === undefined) return undefined;
  const { turns } = conversation;
  return {
    request: together(turns.map(({ userInput }) => userInput.text)),
    answer: together(turns.map(({ finalAnswer }) => finalAnswer.text)),
  };
}

function together(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : texts.map((text, index) => `${index + 1}. ${text}`).join('\n\n');
}
