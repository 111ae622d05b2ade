/**
 * Keeps the number of series bounded. Agent names, versions and environments come from spans, and whoever can send a
 * span could otherwise make as many series as they like.
 *
 * The first `maxLabelSets` combinations are kept, for good: a series that exists never changes its name. What comes
 * after is counted under `other`, and each fold is reported.
 */
import type { BaseLabels } from './quality-metrics.ts';

export type AgentLabels = Omit<BaseLabels, 'suite'>;

export const FOLDED: AgentLabels = { agent: 'other', agent_version: 'other', environment: 'other' };

/** Longer names carry text that is not a name; Prometheus stores every byte of them in every block. */
const VALUE_LENGTH_MAX = 100;

export class LabelGuard {
  readonly #maxLabelSets: number;
  readonly #onFold: (labels: AgentLabels) => void;
  /** The combinations, each as one object: whoever files things by labels can file them by that. */
  readonly #known = new Map<string, AgentLabels>();
  /** What was asked last, before cleaning; agents come in long rows. */
  #last: { readonly asked: AgentLabels; readonly given: AgentLabels } | undefined;

  constructor(options: { readonly maxLabelSets: number; readonly onFold: (labels: AgentLabels) => void }) {
    this.#maxLabelSets = options.maxLabelSets;
    this.#onFold = options.onFold;
  }

  /** A combination that exists already, from an earlier run. */
  remember(labels: AgentLabels): void {
    this.#known.set(keyOf(labels), labels);
  }

  admit(labels: AgentLabels): AgentLabels {
    const last = this.#last;
    if (last !== undefined && isSame(last.asked, labels)) return last.given;
    const given = this.#admit(labels);
    // A fold is counted each time.
    if (given !== FOLDED) this.#last = { asked: labels, given };
    return given;
  }

  #admit(labels: AgentLabels): AgentLabels {
    const clean = {
      agent: cleanValue(labels.agent),
      agent_version: cleanValue(labels.agent_version),
      environment: cleanValue(labels.environment),
    };
    const key = keyOf(clean);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size < this.#maxLabelSets) {
      this.#known.set(key, clean);
      return clean;
    }
    this.#onFold(clean);
    return FOLDED;
  }
}

function isSame(a: AgentLabels, b: AgentLabels): boolean {
  return a.agent === b.agent && a.agent_version === b.agent_version && a.environment === b.environment;
}

function cleanValue(value: string): string {
  const oneLine = value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trim();
  // By code points, so that no half of a surrogate pair is left.
  const short = oneLine.length > VALUE_LENGTH_MAX ? [...oneLine].slice(0, VALUE_LENGTH_MAX).join('') : oneLine;
  return short === '' ? 'unknown' : short.toWellFormed();
}

function keyOf(labels: AgentLabels): string {
  return JSON.stringify([labels.agent, labels.agent_version, labels.environment]);
}
