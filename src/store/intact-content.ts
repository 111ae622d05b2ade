/** Reads the content of a trace for people: damage is reported and an answer, and other traces are read on. */
import type { ConversationReader, TraceRow } from './conversation-reader.ts';
import { DamagedContent } from './damaged-content.ts';
import type { TraceContent } from './engine-store.ts';

/** Undefined where it is not kept any more. */
export async function intactContent(
  reader: Pick<ConversationReader, 'content'>,
  trace: TraceRow,
  onDamage: (reason: string) => void = () => undefined,
): Promise<TraceContent | 'damaged' | undefined> {
  try {
    return await reader.content(trace);
  } catch (error) {
    if (!(error instanceof DamagedContent)) throw error;
    onDamage(error.message);
    return 'damaged';
  }
}
