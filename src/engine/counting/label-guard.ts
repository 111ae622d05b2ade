/**
 * Keeps the number of series bounded. Agent names, versions, environments and segments come from spans, and whoever can
 * send a span could otherwise make as many series as they like.
 *
 * The first `maxLabelValues` combinations are kept permanently: a series that exists never changes its name. Later
 * label sets are counted under `other`, and each fold is reported. The first `maxSegments` segments of an agent are
 * kept. If there is no room for a new segment of a known agent, only its segment is `other`, so that many segments hide
 * no agent. For these a quarter of `maxLabelValues` is spare.
 *
 * One sender may introduce all of them, because one Collector may send for all agents. Another quarter is spare for other
 * senders, a few combinations each: whoever invents names hides no agent of theirs. After a start, nothing says
 * which sender introduced a combination.
 */
import { UNKNOWN_SENDER } from '../../model/sender.ts';
import { type AgentLabels, FOLDED, isFolded, labelValue, OTHER } from '../../model/agent-labels.ts';

/** Part that was counted under `other`: all of its labels, or its segment alone. */
export interface Fold {
  readonly label: 'agent' | 'segment';
  /** Agent as the spans name it. */
  readonly agent: string;
}

const SPARE_FOR_SEGMENTS = 0.25;
const SPARE_FOR_SENDERS = 0.25;
/** Share of `maxLabelValues` for each sender. */
const SHARE_OF_SENDER = 0.05;
const FOLDED_WITH_SEGMENT: AgentLabels = { ...FOLDED, segment: OTHER };

export interface LabelLimits {
  readonly maxLabelValues: number;
  readonly maxSegments: number;
}

export class LabelGuard {
  readonly #maxLabelValues: number;
  readonly #maxSegments: number;
  readonly #onFold: (fold: Fold) => void;
  /** The combinations, each as one object: whoever files things by labels can file them by that. */
  readonly #known = new Map<string, AgentLabels>();
  /** Agents without their segments. */
  readonly #agents = new Set<string>();
  readonly #segments = new Map<string, Set<string>>();
  /** Number of combinations by the sender that introduced them. */
  readonly #introduced = new Map<number, number>();
  /** Last labels before cleaning, because the same agent often comes many times in a row. */
  #last: { readonly asked: AgentLabels; readonly given: AgentLabels } | undefined;

  constructor(options: LabelLimits & { readonly onFold: (fold: Fold) => void }) {
    this.#maxLabelValues = options.maxLabelValues;
    this.#maxSegments = options.maxSegments;
    this.#onFold = options.onFold;
  }

  /** A combination that exists already, from an earlier run. */
  remember(labels: AgentLabels): void {
    this.#add(labels);
  }

  /** `sender` of the conversation (`model/sender.ts`). */
  admit(labels: AgentLabels, sender = UNKNOWN_SENDER): AgentLabels {
    const last = this.#last;
    if (last !== undefined && isSame(last.asked, labels)) return last.given;
    const { given, folded } = this.#admit(labels, sender);
    // A fold is counted each time.
    if (folded === undefined) this.#last = { asked: labels, given };
    else this.#onFold({ label: folded, agent: labels.agent });
    return given;
  }

  #admit(
    labels: AgentLabels,
    sender: number,
  ): { readonly given: AgentLabels; readonly folded: Fold['label'] | undefined } {
    const clean = this.#withinSegments(cleaned(labels));
    const isSegmentFolded = clean.segment === OTHER && labels.segment !== OTHER;
    const known = this.#known.get(keyOf(clean));
    const hasRoom = this.#known.size < this.#maxLabelValues;
    if (known !== undefined || hasRoom) {
      return { given: known ?? this.#introduce(clean, sender), folded: isSegmentFolded ? 'segment' : undefined };
    }
    if (isFolded(clean)) return { given: foldedLike(clean), folded: undefined };
    const given = this.#withOtherSegment(clean);
    if (given !== undefined) return { given, folded: 'segment' };
    if (!this.#hasShare(sender)) return { given: foldedLike(clean), folded: 'agent' };
    return { given: this.#introduce(clean, sender), folded: isSegmentFolded ? 'segment' : undefined };
  }

  #hasShare(sender: number): boolean {
    const spare = SPARE_FOR_SEGMENTS + SPARE_FOR_SENDERS;
    return (
      sender !== UNKNOWN_SENDER &&
      this.#known.size < Math.ceil(this.#maxLabelValues * (1 + spare)) &&
      (this.#introduced.get(sender) ?? 0) < Math.floor(this.#maxLabelValues * SHARE_OF_SENDER)
    );
  }

  #introduce(labels: AgentLabels, sender: number): AgentLabels {
    this.#introduced.set(sender, (this.#introduced.get(sender) ?? 0) + 1);
    return this.#add(labels);
  }

  /** Undefined where the agent is not known, or there is no room for it like this either. */
  #withOtherSegment(labels: AgentLabels): AgentLabels | undefined {
    if (labels.segment === undefined || !this.#agents.has(agentKeyOf(labels))) return undefined;
    const other = { ...labels, segment: OTHER };
    const known = this.#known.get(keyOf(other));
    const hasRoom = this.#known.size < Math.ceil(this.#maxLabelValues * (1 + SPARE_FOR_SEGMENTS));
    return known ?? (hasRoom ? this.#add(other) : undefined);
  }

  #withinSegments(labels: AgentLabels): AgentLabels {
    if (labels.segment === undefined) return labels;
    const segments = this.#segments.get(labels.agent);
    if (segments === undefined || segments.has(labels.segment) || segments.size < this.#maxSegments) return labels;
    return { ...labels, segment: OTHER };
  }

  #add(labels: AgentLabels): AgentLabels {
    this.#known.set(keyOf(labels), labels);
    this.#agents.add(agentKeyOf(labels));
    if (labels.segment !== undefined && labels.segment !== OTHER) {
      const segments = this.#segments.get(labels.agent);
      if (segments === undefined) this.#segments.set(labels.agent, new Set([labels.segment]));
      else segments.add(labels.segment);
    }
    return labels;
  }
}

function foldedLike(labels: AgentLabels): AgentLabels {
  return labels.segment === undefined ? FOLDED : FOLDED_WITH_SEGMENT;
}

function isSame(a: AgentLabels, b: AgentLabels): boolean {
  return (
    a.agent === b.agent &&
    a.agent_version === b.agent_version &&
    a.environment === b.environment &&
    a.segment === b.segment
  );
}

function cleaned(labels: AgentLabels): AgentLabels {
  return {
    agent: labelValue(labels.agent),
    agent_version: labelValue(labels.agent_version),
    environment: labelValue(labels.environment),
    ...(labels.segment === undefined ? {} : { segment: labelValue(labels.segment) }),
  };
}

function keyOf(labels: AgentLabels): string {
  return JSON.stringify([labels.agent, labels.agent_version, labels.environment, labels.segment ?? null]);
}

function agentKeyOf(labels: AgentLabels): string {
  return JSON.stringify([labels.agent, labels.agent_version, labels.environment]);
}
