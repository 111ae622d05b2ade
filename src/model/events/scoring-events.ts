/** Events from a turn's close to its place in the store, to be counted and logged. */
import type { CloseCause, DueCause } from '../causes.ts';
import type { FeedbackWay } from '../feedback.ts';
import type { ConversationId } from '../ids.ts';
import type { Doubt } from '../turn.ts';
import type { DamageEvent } from './damage-events.ts';
import type { AnswerReused, EvidenceShown } from './judge-events.ts';

/** Fate of a closed turn. */
export const TURN_FATES = [
  'stored',
  'revised',
  /** The scoring thread ended after it had stored the turn and before it said so, and was given it again. */
  'stored-already',
  /** Only spans that are stored already came again. */
  'duplicate',
  /** Later than `turn.reopen` after its close. */
  'too-late',
  /** The conversation was scored, and retention has deleted it. */
  'pruned',
  /** The conversation or its user was forgotten. */
  'forgotten',
  /** The turn has as many spans or bytes as a turn may have. */
  'over-limit',
  'logs-without-spans',
  /** The trace has no work of an agent. */
  'no-agent-steps',
  /** The bytes could not be read or understood; the log says why. */
  'not-understood',
] as const;
export type TurnFate = (typeof TURN_FATES)[number];

/** The sign of a turn that has no end and that no suite scored. Nobody knows whether it was a crash. */
export const ENDLESS_SIGNS = [
  /** The root never arrived, no span that did is work of an agent, and the trace names a conversation. */
  'no-root',
  /** The last model call asks for a tool, and nothing came after it before the conversation was over. */
  'open-call',
] as const;
export type EndlessSign = (typeof ENDLESS_SIGNS)[number];

/** How a time of spans cannot be true: see `engine/conversation-time.ts`. */
export const WRONG_CLOCKS = ['future', 'before_2000'] as const;
export type WrongClock = (typeof WRONG_CLOCKS)[number];

/** Fate of feedback: see `store/feedback-store.ts`. */
export const FEEDBACK_FATES = [
  'kept',
  /** The conversation is not known yet. */
  'waiting',
  /** The feedback is a duplicate. */
  'known',
  /** The conversation was deleted or forgotten. */
  'gone',
  'too_many',
  /** The feedback names no conversation, and its trace leads to none. */
  'unplaced',
] as const;
export type FeedbackFate = (typeof FEEDBACK_FATES)[number];

/** Events of the scoring thread. */
export type EngineEvent =
  | { readonly type: 'turn-closed'; readonly cause: CloseCause; readonly fate: TurnFate; readonly rows: number }
  | {
      readonly type: 'conversation-evaluated';
      readonly conversation: ConversationId;
      readonly cause: DueCause;
      readonly suites: number;
      readonly revision: number;
    }
  | {
      readonly type: 'turn-without-end';
      readonly conversation: ConversationId;
      readonly revision: number;
      readonly sign: EndlessSign;
    }
  | { readonly type: 'clock-wrong'; readonly reason: WrongClock }
  | { readonly type: 'turn-doubted'; readonly doubt: Doubt }
  | { readonly type: 'check-failed'; readonly suite: string; readonly criterion: string; readonly reason: string }
  | { readonly type: 'feedback-arrived'; readonly way: FeedbackWay; readonly fate: FeedbackFate }
  | AnswerReused
  | EvidenceShown
  | { readonly type: 'not-understood'; readonly what: string; readonly reason: string }
  | Extract<DamageEvent, { readonly type: 'content-damaged' }>
  | {
      readonly type: 'labels-folded';
      readonly label: 'agent' | 'segment';
      readonly agent: string;
      readonly version: string;
    };

/** About the scoring thread. */
export type ScoringEvent =
  | EngineEvent
  | { readonly type: 'scorer-committed'; readonly turns: number; readonly tookMs: number }
  | { readonly type: 'scorer-failed'; readonly error: string }
  | { readonly type: 'scorer-restarted'; readonly because: string }
  | {
      readonly type: 'check-stopped';
      readonly suite: string;
      readonly criterion: string;
      /** A log time; undefined where only the turn or conversation on which it hung is barred. */
      readonly suspendedUntil: number | undefined;
    }
  | { readonly type: 'store-pruned'; readonly conversations: number; readonly bytes: number };
