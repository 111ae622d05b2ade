/** Needs of the reads of `/api/v1`, all of which the reading thread has. */
import type { BacktestReader } from '../../../backtest/another-suite.ts';
import type { ModelPrices } from '../../../model/cost.ts';
import type { LabelReader } from '../../../store/label-store.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { DetectionState } from '../../detection/detection-state.ts';

export interface V1Side {
  readonly reader: BacktestReader & LabelReader;
  /** Suites that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
  /** The newest report of detection. */
  readonly detectionState: () => DetectionState;
  /** Prices of the agents' tokens. */
  readonly prices: readonly ModelPrices[];
  /** Stored spans that fail their checksum or are gone. */
  readonly onDamage: (damage: { readonly what: string; readonly reason: string }) => void;
}
