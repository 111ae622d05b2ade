/** For tests of lanes: limits that a few spans reach, and a spool with its reader. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { TurnLimits } from '../../../src/assemble/open-turns.ts';
import { JournalReader } from '../../../src/journal/journal-reader.ts';
import { TurnSpool } from '../../../src/kafka/turn-spool.ts';
import type { LaneOwner, LaneParts } from '../../../src/serve/cluster/lane.ts';
import { tempDirectory } from '../../temp-directory.ts';

export const LIMITS: TurnLimits = {
  settleMs: 10,
  idleMs: 40,
  maxAgeMs: 200,
  maxSpans: 8,
  maxBytes: 100_000,
  maxOpenTurns: 1000,
  maxOpenSpans: 10_000,
};

/** The other parameters of a lane; they must do nothing beyond what is given here. */
export function partsForTest(owner: Partial<LaneOwner>): Omit<LaneParts, 'spool'> {
  const never = () => {
    throw new Error('this lane does not do that');
  };
  return { packer: { pack: never }, owner: { closed: never, time: () => {}, late: never, refused: never, ...owner } };
}

export function spoolForTest(): { readonly spool: TurnSpool; readonly reader: JournalReader } {
  const directory = path.join(tempDirectory(), 'spool');
  const spool = new TurnSpool(directory);
  const reader = new JournalReader(directory);
  onTestFinished(() => {
    reader.close();
    spool.close();
  });
  return { spool, reader };
}
