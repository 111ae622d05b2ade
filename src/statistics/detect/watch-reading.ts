/** Defines what a watch over one level says: its state, how sure it is, and how its state changed. */
import type { Estimate } from './effect.ts';

export type Phase = 'learning' | 'ok' | 'suspected' | 'regressed' | 'recovered';
/** `partly_back` is a regression of which a part is left. */
export type State = 'no_data' | 'partly_back' | Phase;

export interface WatchReading {
  readonly state: State;
  /** When the state was entered, in log time; undefined where nothing was observed yet. */
  readonly stateSince: number | undefined;
  readonly logEvidence: number;
  readonly logThreshold: number;
  readonly estimate: Estimate | undefined;
  /** Estimated onset of what is suspected or found. */
  readonly onset: number | undefined;
  /** Relative to the baseline, within a day at today's traffic. */
  readonly minimumDetectableChange: number | undefined;
  /** Share of conversations of which no user is known; present for the score. */
  readonly unnamedShare?: number;
}

export interface Change {
  readonly from: State;
  readonly to: State;
  readonly at: number;
}
