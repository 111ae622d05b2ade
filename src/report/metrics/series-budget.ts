/**
 * Keeps an answer to Prometheus within a number of series by what it has of agents, because Prometheus pays for each of them: in memory, at
 * each scrape, and again in each rule.
 *
 * Evaluations, outcomes and scores are always there: without their corrections a mean is wrong. The rest of the
 * budget goes to steps and costs, then to verdicts by criterion, then to the buckets of histograms. Agents of most
 * traffic are served first, all versions of one alike, so that these can be compared. Under the budget all of them have
 * everything. The store has what is withheld: the API, the page and exports answer from it.
 *
 * Places are taken at the beginning of a scrape, when there are too many series, and given every hour while anything is
 * withheld; an agent that comes after the first was taken waits until then. An agent that has a place keeps it until
 * another has twice its traffic. So series do not come and go: Prometheus keeps one that ended for hours. For the same
 * reason agents that come when half of the budget is used have no buckets before the next hour.
 * Instances do so each for itself: a sum over all instances may lack a part of one.
 */

/** Parts that may be withheld, the most telling first. */
export const SERIES_PARTS = ['effort', 'criteria', 'buckets'] as const;
export type SeriesPart = (typeof SERIES_PARTS)[number];

const RENEWED_AFTER_MS = 3_600_000;
/** How much more traffic takes a place away. */
const LEAD = 2;

/** The series of one agent. */
export class AgentSeries {
  readonly agent: string;
  readonly counts: Record<SeriesPart, number> = { effort: 0, criteria: 0, buckets: 0 };
  readonly shown: Record<SeriesPart, boolean> = { effort: true, criteria: true, buckets: true };
  /** Evaluations since the places were last renewed, and half of what it had before, and so on. */
  traffic = 0;

  constructor(agent: string) {
    this.agent = agent;
  }
}

export class SeriesBudget {
  readonly #max: number;
  readonly #agents = new Map<string, AgentSeries>();
  /** Series that are always exposed. */
  #always = 0;
  /** Series of all else in an answer. */
  #others = 0;
  #renewedAt: number | undefined;
  /** Whether nothing of a part is withheld, so that a new agent has it too. */
  readonly #isOpen: Record<SeriesPart, boolean> = { effort: true, criteria: true, buckets: true };

  constructor(max: number) {
    this.#max = max;
  }

  of(agent: string): AgentSeries {
    let known = this.#agents.get(agent);
    if (known === undefined) {
      known = new AgentSeries(agent);
      Object.assign(known.shown, this.#isOpen);
      this.#agents.set(agent, known);
    }
    return known;
  }

  /** Series that have begun; `part` is undefined for those that are always exposed. */
  add(count: number, agent: AgentSeries | undefined, part: SeriesPart | undefined): void {
    if (agent === undefined || part === undefined) this.#always += count;
    else agent.counts[part] += count;
  }

  /** Number of series that an answer has besides those here. */
  reserve(others: number): void {
    this.#others = others;
  }

  /** Number of series that are exposed. */
  get exposed(): number {
    let sum = this.#always;
    for (const { counts, shown } of this.#agents.values())
      for (const part of SERIES_PARTS) if (shown[part]) sum += counts[part];
    return sum;
  }

  /** Agents of which a part is withheld, by its name. */
  withheld(part: SeriesPart): readonly string[] {
    return [...this.#agents.values()].flatMap(({ agent, counts, shown }) =>
      shown[part] || counts[part] === 0 ? [] : [agent],
    );
  }

  /** Must be called when no scrape is under way. `now` is that of a clock that never goes back. */
  renew(now: number): void {
    this.#renewedAt ??= now;
    const isDue = now - this.#renewedAt >= RENEWED_AFTER_MS;
    const isWithheld = SERIES_PARTS.some((part) => !this.#isOpen[part]);
    if (isDue && isWithheld) this.#giveOut('all');
    else if (this.#others + this.exposed > this.#max) this.#giveOut('present');
    if (this.#others + this.exposed > this.#max / 2) this.#isOpen.buckets = false;
    if (!isDue) return;
    this.#renewedAt = now;
    for (const agent of this.#agents.values()) agent.traffic /= 2;
  }

  /** To all agents, or only to those that have a place. */
  #giveOut(to: 'all' | 'present'): void {
    let left = this.#max - this.#others - this.#always;
    for (const part of SERIES_PARTS) {
      const rank = ({ shown, traffic }: AgentSeries) => traffic * (shown[part] ? LEAD : 1);
      const served = [...this.#agents.values()].filter(({ shown }) => to === 'all' || shown[part]);
      const ranked = served.sort((a, b) => rank(b) - rank(a) || (a.agent < b.agent ? -1 : 1));
      for (const { counts, shown } of ranked) {
        left -= counts[part];
        shown[part] = left >= 0;
      }
      this.#isOpen[part] = this.withheld(part).length === 0;
    }
  }
}
