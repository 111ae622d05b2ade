/**
 * Adds up what two suites say of the same conversations. Equal evaluations are one group with a count, because few of a
 * million differ in anything that matters here. The places of the latest changed ones are remembered.
 */
import { decisionOf } from '../model/decision.ts';
import type {
  BacktestTotals,
  AgentChange,
  ChangedConversation,
  CriterionChange,
  Mover,
  Passed,
} from '../model/backtest.ts';
import { OUTCOMES, type Outcome, type VerdictKind } from '../model/evaluation.ts';
import { OUTCOMES_IN_ORDER } from '../model/severity.ts';
import { HARD_FAILURES } from '../model/tcr-split.ts';
import { pointsOf } from '../score/suite/weigh-again.ts';
import { ONE, type Weighing, weigh } from '../score/subject/weigh.ts';

export interface ComparedSide {
  readonly score: number | undefined;
  readonly outcome: Outcome;
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
}

/** Parts of a suite that its scores are computed from. */
interface WeighingSuite extends Weighing {
  readonly totalWeight: number;
}

/** Place of an evaluation that is one of a group. */
export interface ComparedPlace {
  readonly conversation: number;
  /** Empty for the conversation as a whole. */
  readonly turnId: string;
}

export interface WhoseConversation {
  readonly agent: string;
  readonly agent_version: string;
  readonly environment: string;
  readonly segment?: string;
}

export interface Group {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly whose: WhoseConversation;
  count: number;
  places: ComparedPlace[];
}

/** A change as `Comparison` knows it; the caller, who knows the store, finds the conversation at its place. */
interface Changed extends Omit<ChangedConversation, 'conversationId' | 'turnId'> {
  readonly place: ComparedPlace;
}

/** An outcome that changed counts as much as half of the score. */
const OUTCOME_SIZE = 0.5;
const AGENTS_MAX = 50;

export class Comparison {
  readonly #suites: { readonly before: WeighingSuite | undefined; readonly after: WeighingSuite };
  readonly #shown: number;
  readonly #groups = new Map<string, Group>();

  /** `before` where it is at hand; its weights are only believed where they give what was stored. */
  constructor(
    suites: { readonly before: WeighingSuite | undefined; readonly after: WeighingSuite },
    options: { readonly shown: number },
  ) {
    this.#suites = suites;
    this.#shown = options.shown;
  }

  /** To be asked for once for all that are alike, by those who know that they are. */
  groupOf(before: ComparedSide, after: ComparedSide, whose: WhoseConversation): Group {
    const key = JSON.stringify([sideKey(before), sideKey(after), whose]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { before, after, whose, count: 0, places: [] };
      this.#groups.set(key, group);
    }
    return group;
  }

  add(group: Group, place: ComparedPlace): void {
    group.count += 1;
    if (!isChanged(group)) return;
    group.places.push(place);
    if (group.places.length > 2 * this.#shown) group.places = group.places.slice(-this.#shown);
  }

  /** Figures as reports have them; `howOf` says how the verdicts were made that both suites have. */
  figures(howOf: Parameters<Comparison['criteria']>[0]) {
    return {
      before: this.totals('before'),
      after: this.totals('after'),
      outcomes: this.outcomes(),
      criteria: this.criteria(howOf),
      agents: this.agents(),
      changed: this.changed,
    };
  }

  get compared(): number {
    return this.#all().reduce((sum, { count }) => sum + count, 0);
  }

  get changed(): number {
    return this.#all().reduce((sum, group) => (isChanged(group) ? sum + group.count : sum), 0);
  }

  totals(which: 'before' | 'after'): BacktestTotals {
    return totalsOf(this.#all(), which);
  }

  outcomes(): readonly { readonly from: Outcome; readonly to: Outcome; readonly evaluations: number }[] {
    const counts = new Map<string, number>();
    for (const { before, after, count } of this.#all()) {
      const key = `${before.outcome} ${after.outcome}`;
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    return OUTCOMES_IN_ORDER.flatMap((from) =>
      OUTCOMES_IN_ORDER.flatMap((to) => {
        const evaluations = counts.get(`${from} ${to}`) ?? 0;
        return evaluations === 0 ? [] : [{ from, to, evaluations }];
      }),
    );
  }

  /** The largest first; the rest is in the totals. */
  agents(): readonly AgentChange[] {
    const byAgent = Map.groupBy(this.#all(), ({ whose: { agent, agent_version, environment } }) =>
      JSON.stringify([agent, agent_version, environment]),
    );
    return [...byAgent.values()]
      .flatMap((groups) => {
        const [first] = groups;
        if (first === undefined) return [];
        const { agent, agent_version: agentVersion, environment } = first.whose;
        const [before, after] = [totalsOf(groups, 'before'), totalsOf(groups, 'after')];
        return [{ agent, agentVersion, environment, before, after }];
      })
      .sort((a, b) => b.before.evaluations - a.before.evaluations)
      .slice(0, AGENTS_MAX);
  }

  /** How those came by their verdicts that both suites have. */
  criteria(howOf: (criterion: string) => Exclude<CriterionChange['how'], 'gone'>): readonly CriterionChange[] {
    const { before, after } = this.#suites;
    const names = new Set([
      ...after.criteria.map(({ name }) => name),
      ...(before?.criteria.map(({ name }) => name) ?? []),
      ...this.#all().flatMap((group) => [...group.before.verdicts.keys()]),
    ]);
    const isKnown = this.#all().every((group) => this.#pointsBefore(group) !== undefined);
    const points = isKnown ? this.#meanPoints() : undefined;
    if (points?.has(HARD_FAILURES) === true) names.add(HARD_FAILURES);
    return [...names].map((criterion) => {
      const weightBefore = before && weightOf(before, criterion);
      const weightAfter = weightOf(after, criterion);
      const wasThere = this.#all().some((group) => group.before.verdicts.has(criterion));
      return {
        criterion,
        how: weightAfter === undefined ? 'gone' : wasThere ? howOf(criterion) : 'new',
        weightBefore,
        weightAfter,
        before: this.#passed(criterion, 'before'),
        after: this.#passed(criterion, 'after'),
        points: points?.get(criterion) ?? (points === undefined ? undefined : 0),
      };
    });
  }

  /** The most changed first, the latest of those that changed alike. */
  mostChanged(): readonly Changed[] {
    return this.#all()
      .filter(isChanged)
      .flatMap((group) => group.places.map((place) => ({ group, place })))
      .sort((a, b) => sizeOf(b.group) - sizeOf(a.group) || b.place.conversation - a.place.conversation)
      .slice(0, this.#shown)
      .map(({ group, place }) => ({
        place,
        agent: group.whose.agent,
        agentVersion: group.whose.agent_version,
        before: { score: group.before.score, outcome: group.before.outcome },
        after: { score: group.after.score, outcome: group.after.outcome },
        movedBy: this.#moversOf(group),
      }));
  }

  #all(): readonly Group[] {
    return [...this.#groups.values()].filter(({ count }) => count > 0);
  }

  #passed(criterion: string, which: 'before' | 'after'): Passed {
    let passed = 0;
    let decided = 0;
    for (const group of this.#all()) {
      const decision = decisionOf(group[which].verdicts.get(criterion) ?? 'skipped');
      if (decision !== undefined) decided += group.count;
      if (decision === 'pass') passed += group.count;
    }
    return { passed, decided };
  }

  /** For conversations that both scored: the parts add up to the change of their mean score. */
  #meanPoints(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    let scored = 0;
    for (const group of this.#all()) {
      if (group.before.score === undefined || group.after.score === undefined) continue;
      scored += group.count;
      for (const { criterion, points = 0 } of this.#moversOf(group))
        sums.set(criterion, (sums.get(criterion) ?? 0) + points * group.count);
    }
    return new Map([...sums].map(([criterion, sum]) => [criterion, sum / scored]));
  }

  #moversOf(group: Group): readonly Mover[] {
    const { before, after } = group;
    const points = this.#pointsBefore(group);
    const pointsAfter = pointsOf(this.#suites.after, after);
    const names = new Set([...before.verdicts.keys(), ...after.verdicts.keys(), HARD_FAILURES]);
    return [...names]
      .map((criterion) => ({
        criterion,
        before: before.verdicts.get(criterion),
        after: after.verdicts.get(criterion),
        points: points && (pointsAfter.get(criterion) ?? 0) - (points.get(criterion) ?? 0),
      }))
      .filter((mover) => mover.before !== mover.after || Math.abs(mover.points ?? 0) >= 1)
      .sort((a, b) => Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));
  }

  /** Undefined where the weights by which it was scored are not known. */
  #pointsBefore({ before }: Group): ReadonlyMap<string, number> | undefined {
    const { before: suite } = this.#suites;
    if (suite === undefined) return undefined;
    const weighed = weigh(suite, (name) => before.verdicts.get(name) ?? 'skipped');
    // How it broke off is not at hand: that makes a score 0.
    return weighed.score === before.score || before.score === 0 ? pointsOf(suite, before) : undefined;
  }
}

function totalsOf(groups: readonly Group[], which: 'before' | 'after'): BacktestTotals {
  let evaluations = 0;
  let scored = 0;
  let sum = 0;
  // The cast holds: the entries are made from the list of all outcomes.
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const group of groups) {
    const { score, outcome } = group[which];
    evaluations += group.count;
    outcomes[outcome] += group.count;
    if (score === undefined) continue;
    scored += group.count;
    sum += score * group.count;
  }
  const tcr = scored === 0 ? undefined : sum / scored;
  return { evaluations, scored, tcr, squares: squaresFrom(tcr, groups, which), outcomes };
}

function squaresFrom(mean: number | undefined, groups: readonly Group[], which: 'before' | 'after'): number {
  let squares = 0;
  for (const group of groups) {
    const { score } = group[which];
    if (score !== undefined && mean !== undefined) squares += ((score - mean) / ONE) ** 2 * group.count;
  }
  return squares;
}

function weightOf({ criteria, totalWeight }: WeighingSuite, name: string): number | undefined {
  const criterion = criteria.find((one) => one.name === name);
  return criterion && criterion.weight / totalWeight;
}

function isChanged({ before, after }: Group): boolean {
  return before.score !== after.score || before.outcome !== after.outcome;
}

function sizeOf({ before, after }: Group): number {
  const moved =
    before.score === undefined || after.score === undefined
      ? Number(before.score !== after.score)
      : Math.abs(after.score - before.score) / ONE;
  return moved + (before.outcome === after.outcome ? 0 : OUTCOME_SIZE);
}

function sideKey({ score, outcome, verdicts }: ComparedSide): unknown {
  return [score ?? null, outcome, ...verdicts];
}

export function toWhose(labels: string): WhoseConversation {
  // The cast holds because whoever counted the evaluation wrote the text.
  const {
    agent = '',
    agent_version = '',
    environment = '',
    segment,
  } = JSON.parse(labels) as Partial<WhoseConversation>;
  return { agent, agent_version, environment, ...(segment === undefined ? {} : { segment }) };
}
