/** Reads one conversation from the store or from a recording, assembled as it is for scoring. */
import { buildConversation } from '../assemble/build-conversation.ts';
import type { Settings } from '../config/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Turn } from '../model/turn.ts';
import { idKeysOf } from '../normalize/id-keys.ts';
import { openedStore } from './opened-store.ts';
import type { RecordedBatch } from '../engine/recorded/recorded-batch.ts';
import { readRecording, redactRecorded } from '../offline/recording.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';
import { intactContent } from '../store/intact-content.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { safe } from './terminal.ts';
import { turnsOfTrace } from '../engine/turns-of-trace.ts';

const NAMED_MAX = 5;

export async function oneConversation(
  id: string,
  { settings, files }: { readonly settings: Settings; readonly files: readonly string[] },
): Promise<Conversation> {
  return files.length > 0 ? await fromRecording(id, settings, files) : await fromStore(id, settings);
}

async function fromStore(id: string, settings: Settings): Promise<Conversation> {
  const reader = await openedStore(settings, 'its --data-dir, or a recording with --file');
  try {
    const found = (await reader.find(id)) ?? (await reader.find(`trace:${id}`));
    if (found === undefined) throw new CommandFailure(`the store has no conversation ${safe(id)}`, EXIT.input);
    const idKeys = idKeysOf(settings.conversation.idKeys);
    const turns: Turn[] = [];
    for (const trace of await reader.traces(found)) {
      const content = await intactContent(reader, trace);
      if (content === 'damaged') throw new CommandFailure(`the spans of ${safe(id)} are damaged on disk`, EXIT.input);
      if (content !== undefined) turns.push(...turnsOfTrace(content, idKeys));
    }
    if (turns.length === 0)
      throw new CommandFailure(
        `the spans of ${safe(id)} have been deleted by retention; raise store.keep to keep spans longer`,
        EXIT.input,
      );
    return buildConversation(found.conversationId, turns);
  } finally {
    await reader.close();
  }
}

async function fromRecording(id: string, settings: Settings, files: readonly string[]): Promise<Conversation> {
  const { conversations } = await understandRecorded(redactRecorded(readAll(files), settings), {
    conversationKeys: settings.conversation.idKeys,
  });
  const found = conversations.find((candidate) => candidate.id === id || candidate.id === `trace:${id}`);
  if (found !== undefined) return found;
  const names = conversations.slice(0, NAMED_MAX).map((candidate) => `  ${safe(candidate.id)}`);
  const there = names.length === 0 ? 'It has none.' : `It has:\n${names.join('\n')}`;
  throw new CommandFailure(`the recording has no conversation ${safe(id)}. ${there}`, EXIT.input);
}

async function* readAll(files: readonly string[]): AsyncGenerator<RecordedBatch> {
  for (const file of files) yield* readRecording(file);
}
