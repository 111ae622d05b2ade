/** The parts and settings that an engine is made of. */
import type { ModelPrices } from '../model/cost.ts';
import type { EngineEvent } from '../model/events/scoring-events.ts';
import type { Judges } from '../score/suite/judges.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { ConversationStore, EngineStore } from '../store/engine-store.ts';
import type { CheckWatch } from './check-watch.ts';
import type { ClosingLimits } from './conversation-closing.ts';
import type { LabelSettings } from './evaluation-recorder.ts';
import type { WrittenTruth } from './truths.ts';

export interface EngineSettings {
  readonly turn: {
    readonly reopenMs: number;
    readonly maxAgeMs: number;
    readonly maxSpans: number;
    readonly maxBytes: number;
  };
  readonly conversation: Omit<ClosingLimits, 'openMaxMs'> & {
    readonly idKeys: readonly string[];
    readonly handOverTools: readonly string[];
  };
  readonly metrics: LabelSettings;
  /** Prices of the agents' tokens. */
  readonly prices?: readonly ModelPrices[];
  /** Words that were said are kept for the search. */
  readonly words: boolean;
}

export interface EngineParts {
  readonly settings: EngineSettings;
  /** Suites in shadow after the live ones. */
  readonly suites: readonly CompiledSuite[];
  readonly store: EngineStore;
  readonly watch: CheckWatch;
  /** Settings under the name of a judge; without them, judged criteria are skipped. */
  readonly judge?: Judges['settings'];
  /** Ground truth from files. */
  readonly truth?: WrittenTruth | undefined;
  readonly onEvent: (event: EngineEvent) => void;
  /** Gives a scored conversation the place of its chance (`frame-columns.ts`), where a prediction may speak of it. */
  readonly foretell?: ConversationStore['foretell'];
  /** A recording without log times is complete: nothing is gained by scoring a conversation before its last turn is read. */
  readonly conversations?: 'when due' | 'at the end';
  /** Runs a stage and notes what it took, for the benchmark. */
  readonly timed?: <T>(stage: string, work: () => T) => T;
}
