/** Rows that wait for a backend (rules/results.ts) and for the archive (rules/archive.ts), as the engine writes them on the shared store. */
import { BinaryRows } from './binary-copy.ts';
import type { Session } from './session.ts';
import { toStorable } from './storable-text.ts';

export async function writeResults(session: Session, payloads: readonly string[]): Promise<void> {
  if (payloads.length === 0) return;
  const rows = new BinaryRows();
  for (const payload of payloads) rows.row(1).text(toStorable(payload));
  await session.copy('result_queue (payload)', rows);
}

export async function writeArchiveQueue(session: Session, conversations: readonly string[], at: number): Promise<void> {
  if (conversations.length === 0) return;
  const rows = new BinaryRows();
  for (const id of conversations) rows.row(2).int8(at).text(toStorable(id));
  await session.copy('archive_queue (at, conversation_id)', rows);
}
