/** Reads a conversation from a store, with or without a service that runs on it. */
import { outcomesAmong } from '../model/readings.ts';
import type { Settings } from '../config/settings.ts';
import type { TraceSource } from '../normalize/normalize.ts';
import { shownFeedbackOf } from '../serve/api/v1/shown-feedback.ts';
import { openedStore } from './opened-store.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import type { ConversationRow } from '../store/conversation-row.ts';
import { intactContent } from '../store/intact-content.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { ExplainedConversation } from './explained-conversation.ts';
import { whyNotFound } from './no-such-conversation.ts';

/** Throws where there is no store, or no such conversation in it. */
export async function conversationFromStore(id: string, settings: Settings): Promise<ExplainedConversation> {
  const reader = await openedStore(settings, 'its --url or --data-dir');
  try {
    const conversation = (await reader.find(id)) ?? (await reader.find(`trace:${id}`));
    if (conversation === undefined) throw new CommandFailure(await whyNotFound(reader, id, settings.store), EXIT.input);
    return {
      conversation,
      evaluations: await reader.evaluations(conversation, { revisions: 'all' }),
      inShadow: await reader.evaluations(conversation, { revisions: 'all', of: 'shadow' }),
      outcomes: outcomesAmong(await reader.readingsOf(conversation)),
      feedback: shownFeedbackOf(await reader.feedbackOf(conversation)),
      ...(await contentsOf(reader, conversation)),
    };
  } finally {
    await reader.close();
  }
}

export async function contentsOf(
  reader: ConversationReader,
  conversation: ConversationRow,
): Promise<Pick<ExplainedConversation, 'contents' | 'damagedTraces'>> {
  const contents: TraceSource[] = [];
  let damagedTraces = 0;
  for (const trace of await reader.traces(conversation)) {
    const content = await intactContent(reader, trace);
    if (content === 'damaged') damagedTraces += 1;
    else if (content !== undefined) contents.push(content);
  }
  return { contents, damagedTraces };
}
