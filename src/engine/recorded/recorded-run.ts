/** Reads what the agent did in one run of an experiment from the spans that were kept. */
import type { Conversation } from '../../model/conversation.ts';
import type { CaseRun } from '../../model/experiment.ts';
import { WireError } from '../../otlp/wire.ts';
import { ExperimentUnreadable, readSpansOf } from '../../store/experiment/read-experiment.ts';
import { recordedMessages } from './recorded-batch.ts';
import { understandRecorded } from './understand-recording.ts';

interface RunSettings {
  readonly conversation: { readonly idKeys: readonly string[] };
}

/** Undefined where it left nothing of an agent. Throws `ExperimentUnreadable` where its spans are not there any more. */
export async function conversationOfRun(
  folder: string,
  run: Pick<CaseRun, 'spans' | 'logs' | 'conversationId'>,
  { conversation }: RunSettings,
): Promise<Conversation | undefined> {
  // Runs were redacted before they were written.
  const batches = recordedMessages(readSpansOf(folder, run));
  const { conversations } = await understandRecorded(batches, { conversationKeys: conversation.idKeys });
  return conversations.find(({ id }) => id === run.conversationId);
}

/** For a person: the reason where there is none. */
export async function tryConversationOfRun(
  folder: string,
  run: Pick<CaseRun, 'spans' | 'logs' | 'conversationId'>,
  settings: RunSettings,
): Promise<Conversation | { readonly because: string }> {
  if (run.spans === undefined && run.logs === undefined) return { because: 'it left no spans' };
  try {
    return (await conversationOfRun(folder, run, settings)) ?? { because: 'nothing of an agent is in its spans' };
  } catch (error) {
    if (error instanceof ExperimentUnreadable || error instanceof WireError) return { because: error.message };
    throw error;
  }
}
