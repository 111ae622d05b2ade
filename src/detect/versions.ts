/**
 * Which versions of an agent there are, and the races between them. A version that comes new is a candidate, and its
 * baseline is the version that had most traffic before it. The newest candidates stay in the race; of many versions,
 * the one that has been silent longest is forgotten first.
 */
import type { Json } from '../model/json.ts';
import type { DetectionLimits, VersionSettings } from './settings.ts';
import { VersionRace, type VersionReading } from './version-race.ts';

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
  forgotten = 0;

  constructor(settings: VersionSettings, limits: DetectionLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  observe(name: string, segment: number, success: boolean, at: number): void {
    const version = this.#versions.get(name) ?? this.#meet(name);
    for (const { candidate, baseline, race } of this.#races) {
      if (candidate === name) race.observe(segment, 'candidate', success, at);
      else if (baseline === name) race.observe(segment, 'baseline', success, at);
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
      races: this.#races.map(({ candidate, baseline, race }) => [candidate, baseline, race.snapshot()]),
      forgotten: this.forgotten,
    };
  }

  restore(json: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as {
      readonly versions: readonly (readonly [string, number, number, readonly ([number, number] | null)[]])[];
      readonly races: readonly (readonly [string, string, Json])[];
      readonly forgotten: number;
    };
    for (const [name, count, last, segments] of kept.versions)
      this.#versions.set(name, {
        count,
        last,
        segments: segments.map((cell) => (cell === null ? undefined : [cell[0], cell[1]])),
      });
    this.#races = kept.races.map(([candidate, baseline, state]) => {
      const race = new VersionRace(this.#settings, []);
      race.restore(state);
      return { candidate, baseline, race };
    });
    this.forgotten = kept.forgotten;
  }

  #meet(name: string): Version {
    const baseline = this.#mostSeen();
    if (this.#versions.size >= this.#limits.versions) this.#forgetOldest();
    const version: Version = { count: 0, last: 0, segments: [] };
    this.#versions.set(name, version);
    if (baseline !== undefined) {
      const [known, { segments }] = baseline;
      this.#races.push({ candidate: name, baseline: known, race: new VersionRace(this.#settings, segments) });
      if (this.#races.length > this.#limits.candidates) this.#races.shift();
    }
    return version;
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
