/**
 * Counts what sub-agents did, and the verdicts on conversations in which they took part. Names come from spans: the
 * first sixteen of an agent have series of their own, as long as there are no more of all agents than agents may have
 * labels. The rest is counted as `other`, and a conversation once under it.
 */
import { OTHER } from '../../model/agent-labels.ts';
import type { Conversation } from '../../model/conversation.ts';
import { DECISIONS, decisionOf } from '../../model/decision.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import { subAgentsOf } from '../../model/sub-agents.ts';
import { QUALITY_METRICS } from '../../report/metrics/quality-metrics.ts';
import type { Labels, RunningTotals } from '../../store/engine-store.ts';
import { encodeSubAgents, type KeptSubAgent } from '../../store/sub-agents-codec.ts';
import { countedCost, keptEffort } from './usage-totals.ts';

const NAMES_OF_AGENT_MAX = 16;

/** Parts of sub-agents in a conversation, and their text in the store. */
export interface KeptSubAgents {
  readonly parts: readonly KeptSubAgent[];
  readonly text: string;
}

export function keptSubAgentsOf(conversation: Conversation): KeptSubAgents {
  const parts = subAgentsOf(conversation).map(({ name, modelCalls, toolCalls, errors, costUsd }): KeptSubAgent => {
    const effort = { steps: modelCalls + toolCalls, tokens: undefined, durationMs: 0, costUsd };
    const { steps = 0, costNanos } = keptEffort(effort);
    return { name, steps, errors: Math.min(errors, Math.max(1, steps)), costNanos };
  });
  return { parts, text: encodeSubAgents(parts) };
}

export class SubAgentTotals {
  readonly #totals: Pick<RunningTotals, 'series'>;
  readonly #namesMax: number;
  readonly #names = new Map<string, Set<string>>();
  #count = 0;

  constructor(totals: Pick<RunningTotals, 'series'>, { maxLabelValues }: { readonly maxLabelValues: number }) {
    this.#totals = totals;
    this.#namesMax = maxLabelValues;
  }

  /** A series that exists already, from an earlier run. */
  remember({
    metric,
    labels: { agent = '', sub_agent: name = OTHER },
  }: {
    readonly metric: string;
    readonly labels: Labels;
  }): void {
    if (metric === QUALITY_METRICS.subAgentSteps.name) this.#add(agent, name);
  }

  /** The first evaluation of a conversation or a turn by a suite. */
  count(
    { parts: subAgents }: KeptSubAgents,
    { verdicts }: Pick<Evaluation, 'verdicts'>,
    { suite, agent }: { readonly suite: string; readonly agent: string },
  ): void {
    const { subAgentSteps, subAgentCost, subAgentVerdicts } = QUALITY_METRICS;
    for (const [name, parts] of Map.groupBy(subAgents, ({ name }) => this.#admit(agent, name))) {
      const labels = { suite, agent, sub_agent: name };
      for (const { steps, errors, costNanos } of parts) {
        this.#totals.series(subAgentSteps.name, { ...labels, result: 'ok' }).add(Math.max(0, steps - errors));
        this.#totals.series(subAgentSteps.name, { ...labels, result: 'error' }).add(errors);
        if (costNanos !== undefined) this.#totals.series(subAgentCost.name, labels).add(countedCost(costNanos));
      }
      for (const [criterion, { verdict }] of verdicts) {
        const decision = decisionOf(verdict);
        if (decision === undefined) continue;
        // Both series exist from the first decision on, so that queries can divide them.
        for (const one of DECISIONS)
          this.#totals
            .series(subAgentVerdicts.name, { ...labels, criterion, verdict: one })
            .add(one === decision ? 1 : 0);
      }
    }
  }

  #admit(agent: string, name: string): string {
    const known = this.#names.get(agent);
    if (known?.has(name) === true) return name;
    if ((known?.size ?? 0) >= NAMES_OF_AGENT_MAX || this.#count >= this.#namesMax) return OTHER;
    return this.#add(agent, name);
  }

  #add(agent: string, name: string): string {
    const known = this.#names.get(agent) ?? new Set();
    this.#names.set(agent, known);
    if (name !== OTHER && !known.has(name)) {
      known.add(name);
      this.#count += 1;
    }
    return name;
  }
}
