/** A conversation as its time line takes it: with the verdicts that may be seen, the place to look at, and what stands beside. */
import type { ComponentChildren } from 'preact';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import type { Evidence, EvidenceLinks, Look } from './evidence.ts';

export interface ShownConversation {
  readonly conversation: ConversationDetail;
  readonly evidence: EvidenceLinks;
  /** Spans that the chosen verdict rests on. */
  readonly lit: readonly string[] | undefined;
  /** The place that somebody asked for. */
  readonly look: Look | undefined;
  /** Template of links to traces. */
  readonly traceUrl?: string | undefined;
  readonly onStep?: (stepId: string | undefined) => void;
  readonly onEvidence: (evidence: Evidence) => void;
  /** Shown beside the name of the agent. */
  readonly besideAnswer?: (turn: TurnJson) => ComponentChildren;
  /** Shown beside a step, by the id and the words of its span. */
  readonly besideStep?: (span: string | undefined, words: string) => ComponentChildren;
}
