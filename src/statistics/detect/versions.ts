/**
 * Which versions of an agent there are, and the races between them. A version that comes new is a candidate, and its
 * baseline is the version that had most traffic before it. The newest candidates stay in the race; of many versions,
 * the one that has been silent longest is forgotten first.
 */
import type { Json } from '../../model/json.ts';
import { DAY_MS, type DetectionLimits, MONTH_MS, type VersionSettings } from './settings.ts';
import { VersionRace, type VersionReading, type Voted as Vote } from './version-race.ts';

interface Voted extends Vote {
  readonly segment: number;
}

interface Version {
  count: number;
  last: number;
  /** Per segment: conversations and successes. */
  readonly segments: ([number, number] | undefined)[];
}

interface Entry {
  readonly candidate: string;
  readonly baseline: string;
  readonly race: VersionRace;
}

export class Versions {
  readonly #settings: VersionSettings;
  readonly #limits: DetectionLimits;
  readonly #versions = new Map<string, Version>();
  #races: Entry[] = [];
  readonly #budget: { readonly perLevel: number } | undefined;
  /** When the last candidate came. */
  #metAt: number | undefined;
  forgotten = 0;

  constructor(settings: VersionSettings, limits: DetectionLimits, budget?: { readonly perLevel: number }) {
    this.#settings = settings;
    this.#limits = limits;
    this.#budget = budget;
  }

  observe(name: string, { segment, success, vote, at }: Voted): void {
    const version = this.#versions.get(name) ?? this.#meet(name, at);
    for (const { candidate, baseline, race } of this.#races) {
      if (candidate === name) race.observe(segment, 'candidate', { success, vote, at });
      else if (baseline === name) race.observe(segment, 'baseline', { success, vote, at });
    }
    version.count += 1;
    version.last = at;
    let cell = version.segments[segment];
    if (cell === undefined) {
      while (version.segments.length < segment) version.segments.push(undefined);
      cell = [0, 0];
      version.segments[segment] = cell;
    }
    cell[0] += 1;
    if (success) cell[1] += 1;
  }

  readings(): readonly { readonly version: string; readonly baselineVersion: string; readonly race: VersionReading }[] {
    return this.#races.map(({ candidate, baseline, race }) => ({
      version: candidate,
      baselineVersion: baseline,
      race: race.reading(),
    }));
  }

  snapshot(): Json {
    return {
      versions: [...this.#versions].map(([name, { count, last, segments }]) => [
        name,
        count,
        last,
        segments.map((cell) => cell ?? null),
      ]),
      races: this.#races.map(({ candidate, baseline, race }) => [candidate, baseline, race.alpha, race.snapshot()]),
      metAt: this.#metAt ?? null,
      forgotten: this.forgotten,
    };
  }

  restore(json: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as {
      readonly versions: readonly (readonly [string, number, number, readonly ([number, number] | null)[]])[];
      readonly races: readonly (readonly [string, string, number, Json])[];
      readonly metAt: number | null;
      readonly forgotten: number;
    };
    for (const [name, count, last, segments] of kept.versions)
      this.#versions.set(name, {
        count,
        last,
        segments: segments.map((cell) => (cell === null ? undefined : [cell[0], cell[1]])),
      });
    this.#metAt = kept.metAt ?? undefined;
    this.#races = kept.races.map(([candidate, baseline, alpha, state]) => {
      const race = new VersionRace({ ...this.#settings, alpha }, []);
      race.restore(state);
      return { candidate, baseline, race };
    });
    this.forgotten = kept.forgotten;
  }

  #meet(name: string, at: number): Version {
    const baseline = this.#mostSeen();
    if (this.#versions.size >= this.#limits.versions) this.#forgetOldest();
    const version: Version = { count: 0, last: 0, segments: [] };
    this.#versions.set(name, version);
    if (baseline !== undefined) {
      const [known, { segments }] = baseline;
      const race = new VersionRace({ ...this.#settings, alpha: this.#alpha(at) }, segments);
      this.#races.push({ candidate: name, baseline: known, race });
      this.#metAt = at;
      if (this.#races.length > this.#limits.candidates) this.#races.shift();
    }
    return version;
  }

  /** Where versions come every week, each gets a week's part of what the agent's versions may be wrong in a month. */
  #alpha(at: number): number {
    if (this.#budget === undefined) return this.#settings.alpha;
    const sinceMs = Math.min(MONTH_MS, Math.max(DAY_MS, at - (this.#metAt ?? 0)));
    return Math.min(this.#settings.alpha, (this.#budget.perLevel * sinceMs) / MONTH_MS);
  }

  #mostSeen(): [string, Version] | undefined {
    let most: [string, Version] | undefined;
    for (const entry of this.#versions)
      if (entry[1].count >= this.#settings.baselineConversationsMin && entry[1].count > (most?.[1].count ?? 0))
        most = entry;
    return most;
  }

  #forgetOldest(): void {
    let oldest: string | undefined;
    let last = Number.POSITIVE_INFINITY;
    for (const [name, version] of this.#versions)
      if (version.last < last) {
        last = version.last;
        oldest = name;
      }
    if (oldest === undefined) return;
    this.#versions.delete(oldest);
    this.#races = this.#races.filter(({ candidate }) => candidate !== oldest);
    this.forgotten += 1;
  }
}
