/** What the agent did in one run of an experiment, from the spans that are kept of it. */
import type { Settings } from '../config/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { CaseRun } from '../model/experiment.ts';
import { readSpansOf } from '../store/experiment/read-experiment.ts';
import { recordedMessages } from './recording.ts';
import { understandRecorded } from './understand.ts';

/** Undefined where it left nothing of an agent. Throws `ExperimentUnreadable` where its spans are not there any more. */
export async function conversationOfRun(
  folder: string,
  run: Pick<CaseRun, 'spans' | 'logs' | 'conversationId'>,
  { conversation }: Pick<Settings, 'conversation'>,
): Promise<Conversation | undefined> {
  // They were redacted before they were written.
  const batches = recordedMessages(readSpansOf(folder, run));
  const { conversations } = await understandRecorded(batches, { conversationKeys: conversation.idKeys });
  return conversations.find(({ id }) => id === run.conversationId);
}
