/**
 * Keeps the number of series bounded. Agent names, versions, environments and segments come from spans, and whoever can
 * send a span could otherwise make as many series as they like.
 *
 * There is room for `maxLabelValues` combinations. When it is taken, one that was idle for an hour gives way to a new
 * one, the longest idle first; the newest three versions of an agent never do. If none may give way, the new label set
 * is counted under `other`, and each fold is reported. So a release keeps its name while versions come and go.
 *
 * The first `maxSegments` segments of an agent are kept. If there is no room for a new segment of a known agent, only its
 * segment is `other`, so that many segments hide no agent. For these a quarter of `maxLabelValues` is spare.
 *
 * One sender may introduce all of them, because one Collector may send for all agents, and may make as many give way in a
 * day. Another quarter is spare for other senders, a few combinations each: whoever invents names hides no agent of
 * theirs, since agents in use are not idle. After a start, nothing says which sender introduced a combination, and all
 * are taken as just seen.
 *
 * Several instances decide by this one rule, each from what it sees and from the versions that any has met before its
 * start.
 */
import { UNKNOWN_SENDER } from '../../model/sender.ts';
import { type AgentLabels, FOLDED, isFolded, labelValue, OTHER } from '../../model/agent-labels.ts';

/** Part that was counted under `other`: all of its labels, or its segment alone. */
export interface Fold {
  readonly label: 'agent' | 'segment';
  /** Agent and version as the spans name them. */
  readonly agent: string;
  readonly version: string;
}

const SPARE_FOR_SEGMENTS = 0.25;
const SPARE_FOR_SENDERS = 0.25;
/** Share of `maxLabelValues` for each sender. */
const SHARE_OF_SENDER = 0.05;
/** Versions of an agent in an environment that give way to nothing. */
const NEWEST = 3;
const IDLE_MS = 3_600_000;
const DAY_MS = 24 * IDLE_MS;
/** A search that found nothing is not repeated for so long, of log time. */
const SEARCHED_EVERY_MS = 60_000;
const FOLDED_WITH_SEGMENT: AgentLabels = { ...FOLDED, segment: OTHER };

export interface LabelLimits {
  readonly maxLabelValues: number;
  readonly maxSegments: number;
}

interface Known {
  /** One object for each combination: whoever files things by labels can file them by that. */
  readonly labels: AgentLabels;
  /** Log time at which any instance first saw its version. */
  readonly first: number;
  seen: number;
}

export class LabelGuard {
  readonly #maxLabelValues: number;
  readonly #maxSegments: number;
  readonly #onFold: (fold: Fold) => void;
  readonly #onGiveWay: (labels: AgentLabels) => void;
  readonly #known = new Map<string, Known>();
  /** Combinations that made others give way, by sender, since the beginning of a day of log time. */
  #taken = { since: Number.NEGATIVE_INFINITY, by: new Map<number, number>() };
  #searchedAt = Number.NEGATIVE_INFINITY;
  /** The first log time, at which all of an earlier run are taken as seen. */
  #began: number | undefined;
  /** The newest log time. */
  #now = 0;
  /** Combinations of each agent without its segments. */
  readonly #agents = new Map<string, number>();
  readonly #segments = new Map<string, Set<string>>();
  /** Number of combinations by the sender that introduced them. */
  readonly #introduced = new Map<number, number>();
  /** Last labels before cleaning, because the same agent often comes many times in a row. */
  #last: { readonly asked: AgentLabels; readonly given: Known } | undefined;

  constructor(
    options: LabelLimits & {
      readonly onFold: (fold: Fold) => void;
      /** Nothing is counted under it any more, unless it is admitted again. */
      readonly onGiveWay?: (labels: AgentLabels) => void;
    },
  ) {
    this.#onGiveWay = options.onGiveWay ?? (() => undefined);
    this.#maxLabelValues = options.maxLabelValues;
    this.#maxSegments = options.maxSegments;
    this.#onFold = options.onFold;
  }

  /** A combination that exists already, from an earlier run. */
  remember(labels: AgentLabels, first = Number.NEGATIVE_INFINITY): void {
    if (!this.#known.has(keyOf(labels))) this.#add(labels, first);
  }

  /** A version that any instance has met: it is kept where there is room. */
  meet(labels: AgentLabels, first: number): void {
    if (this.#known.size < this.#maxLabelValues) this.remember(labels, first);
  }

  /** `sender` of the conversation (`model/sender.ts`), and the log time of its evaluation. */
  admit(labels: AgentLabels, sender = UNKNOWN_SENDER, at = this.#now): AgentLabels {
    this.#began ??= at;
    this.#now = Math.max(this.#now, at);
    const last = this.#last;
    if (last !== undefined && isSame(last.asked, labels)) {
      last.given.seen = this.#now;
      return last.given.labels;
    }
    const { given, folded } = this.#admit(labels, sender);
    const known = this.#known.get(keyOf(given));
    if (known !== undefined) known.seen = this.#now;
    // A fold is counted each time.
    if (folded === undefined && known !== undefined) this.#last = { asked: labels, given: known };
    else if (folded !== undefined) this.#onFold({ label: folded, agent: labels.agent, version: labels.agent_version });
    return given;
  }

  #admit(
    labels: AgentLabels,
    sender: number,
  ): { readonly given: AgentLabels; readonly folded: Fold['label'] | undefined } {
    const clean = this.#withinSegments(cleaned(labels));
    const isSegmentFolded = clean.segment === OTHER && labels.segment !== OTHER;
    const folded = isSegmentFolded ? 'segment' : undefined;
    const known = this.#known.get(keyOf(clean));
    if (known !== undefined) return { given: known.labels, folded };
    if (this.#known.size < this.#maxLabelValues) return { given: this.#introduce(clean, sender), folded };
    if (isFolded(clean)) return { given: foldedLike(clean), folded: undefined };
    if (this.#makeRoom(sender)) return { given: this.#introduce(clean, sender), folded };
    const given = this.#withOtherSegment(clean);
    if (given !== undefined) return { given, folded: 'segment' };
    if (!this.#hasShare(sender)) return { given: foldedLike(clean), folded: 'agent' };
    return { given: this.#introduce(clean, sender), folded };
  }

  /** Makes the longest idle combination give way. */
  #makeRoom(sender: number): boolean {
    if (this.#now - this.#searchedAt < SEARCHED_EVERY_MS) return false;
    if (this.#now - this.#taken.since >= DAY_MS) this.#taken = { since: this.#now, by: new Map() };
    const taken = this.#taken.by.get(sender) ?? 0;
    if (taken >= this.#maxLabelValues) return false;
    const newest = newestOf([...this.#known.values()]);
    const seenOf = ({ seen }: Known) => Math.max(seen, this.#began ?? this.#now);
    const [idle] = [...this.#known.values()]
      .filter((one) => seenOf(one) <= this.#now - IDLE_MS && !newest.has(one))
      .toSorted((a, b) => a.seen - b.seen || a.first - b.first);
    if (idle === undefined) {
      this.#searchedAt = this.#now;
      return false;
    }
    this.#taken.by.set(sender, taken + 1);
    this.#remove(idle);
    return true;
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
    return this.#add(labels, this.#now);
  }

  /** Undefined where the agent is not known, or there is no room for it like this either. */
  #withOtherSegment(labels: AgentLabels): AgentLabels | undefined {
    if (labels.segment === undefined || !this.#agents.has(agentKeyOf(labels))) return undefined;
    const other = { ...labels, segment: OTHER };
    const known = this.#known.get(keyOf(other));
    const hasRoom = this.#known.size < Math.ceil(this.#maxLabelValues * (1 + SPARE_FOR_SEGMENTS));
    return known?.labels ?? (hasRoom ? this.#add(other, this.#now) : undefined);
  }

  #withinSegments(labels: AgentLabels): AgentLabels {
    if (labels.segment === undefined) return labels;
    const segments = this.#segments.get(labels.agent);
    if (segments === undefined || segments.has(labels.segment) || segments.size < this.#maxSegments) return labels;
    return { ...labels, segment: OTHER };
  }

  #add(labels: AgentLabels, first: number): AgentLabels {
    this.#known.set(keyOf(labels), { labels, first, seen: this.#now });
    const agent = agentKeyOf(labels);
    this.#agents.set(agent, (this.#agents.get(agent) ?? 0) + 1);
    if (labels.segment !== undefined && labels.segment !== OTHER) {
      const segments = this.#segments.get(labels.agent);
      if (segments === undefined) this.#segments.set(labels.agent, new Set([labels.segment]));
      else segments.add(labels.segment);
    }
    return labels;
  }

  /** The segments of an agent stay its segments. */
  #remove({ labels }: Known): void {
    this.#known.delete(keyOf(labels));
    const agent = agentKeyOf(labels);
    const left = (this.#agents.get(agent) ?? 1) - 1;
    if (left === 0) this.#agents.delete(agent);
    else this.#agents.set(agent, left);
    this.#last = undefined;
    this.#onGiveWay(labels);
  }
}

/** Combinations of the newest versions of each agent in each environment. */
function newestOf(all: readonly Known[]): ReadonlySet<Known> {
  const newest = new Set<Known>();
  for (const ofAgent of Map.groupBy(all, ({ labels: { agent, environment } }) =>
    JSON.stringify([agent, environment]),
  ).values()) {
    const firsts = new Map<string, number>();
    for (const { labels, first } of ofAgent)
      firsts.set(labels.agent_version, Math.max(first, firsts.get(labels.agent_version) ?? first));
    // The later of two that began at one time is the newer.
    const versions = [...firsts]
      .reverse()
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, NEWEST);
    const names = new Set(versions.map(([version]) => version));
    for (const one of ofAgent) if (names.has(one.labels.agent_version)) newest.add(one);
  }
  return newest;
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
