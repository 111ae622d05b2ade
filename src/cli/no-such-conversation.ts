/** The message where a conversation is asked for by an id that the store does not have. */
import { formatDuration } from '../config/quantities.ts';
import type { Settings } from '../config/settings.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import { safe } from './terminal.ts';

export async function whyNotFound(reader: ConversationReader, id: string, store: Settings['store']): Promise<string> {
  const { rows } = await reader.pages.search({ order: 'latest', limit: 5 });
  const recent = rows.map(({ conversationId }) => `  ${safe(conversationId)}`);
  const known = recent.length === 0 ? 'The store has no conversations now.' : `The newest are:\n${recent.join('\n')}`;
  const kept = `store.keep: ${formatDuration(store.keepMs)}, store.keep_failed: ${formatDuration(store.keepFailedMs)}`;
  return `no conversation has the id ${safe(id)}: it never came, its turns are still open, or it was deleted because it is older than what is kept (${kept}).\n${known}`;
}
