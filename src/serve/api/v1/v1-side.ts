/** Needs of the reads of `/api/v1`, all of which the reading thread has. */
import type { BacktestReader } from '../../../backtest/backtest.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';

export interface V1Side {
  readonly reader: BacktestReader;
  /** Suites that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
  /** Stored spans that fail their checksum or are gone. */
  readonly onDamage: (damage: { readonly what: string; readonly reason: string }) => void;
}
