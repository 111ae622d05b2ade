/** Events of regression detection and its notices, to be counted and logged. */
import type { Transition } from '../detection.ts';

export type DetectionEvent =
  | { readonly type: 'detector-changed'; readonly transition: Transition }
  /** A round that observed something. */
  | {
      readonly type: 'detection-observed';
      readonly evaluations: number;
      readonly transitions: number;
      readonly tookMs: number;
    }
  /** The learned state could not be used. */
  | { readonly type: 'detection-began-again'; readonly problem: string }
  /** A suite that had changed has been learned from stored conversations, or could not be. */
  | {
      readonly type: 'detection-learned';
      readonly suite: string;
      readonly conversations: number;
      readonly problem: string | undefined;
    }
  | { readonly type: 'detection-dropped'; readonly problem: string }
  /** A round failed, and nothing of it is left; the next one comes. */
  | { readonly type: 'detection-failed'; readonly problem: string }
  | { readonly type: 'webhook-delivered'; readonly webhook: string; readonly attempts: number }
  | { readonly type: 'webhook-failed'; readonly webhook: string; readonly problem: string }
  | { readonly type: 'webhook-given-up'; readonly webhook: string; readonly id: string };
