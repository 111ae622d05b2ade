/** Observations for regression detection (rules/detection.ts), as the engine writes them on the shared store. */
import type { WaitingObservation } from '../detection-store.ts';
import { BinaryRows } from './binary-copy.ts';
import type { Session } from './session.ts';

export async function writeObservations(session: Session, waiting: readonly WaitingObservation[]): Promise<void> {
  const rows = new BinaryRows();
  for (const { at, evaluation, payload } of waiting) rows.row(3).int8(at).text(evaluation).text(payload);
  await session.copy('detection_queue (at, evaluation, payload)', rows);
}
