/** Needs of the reads of `/api/v1`, all of which the reading thread has. */
import type { BacktestReader } from '../../../backtest/backtest.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { DetectionState } from '../../reading/reading-protocol.ts';

export interface V1Side {
  readonly reader: BacktestReader;
  /** Suites that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
  /** The newest report of detection. */
  readonly detectionState: () => DetectionState;
  /** Stored spans that fail their checksum or are gone. */
  readonly onDamage: (damage: { readonly what: string; readonly reason: string }) => void;
}
