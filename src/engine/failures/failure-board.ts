/** The board of an agent's kinds of failure: how far each is, how often it comes, and what has no kind yet. */
import type { CountedKind, FailedReading, KeptKind, ShownKindState } from '../../model/named-kinds.ts';
import type { Estimate } from '../../model/estimate.ts';
import type { FailureReader } from '../../store/failure-store.ts';
import type { FrameQuery, FrameReader } from '../../store/frame-reader.ts';
import { rounded, windowEstimate } from '../estimate/window-estimate.ts';
import { noteGroups } from './note-groups.ts';
import { SHARE_DRAWS_MAX, shareOfKind, unseenKinds } from './sampled-kinds.ts';

export interface KindOnBoard {
  readonly name: string;
  readonly state: ShownKindState;
  /** When a person said so; undefined for a kind of which nobody did. */
  readonly stateAt: number | undefined;
  /** Undefined for a kind that no reading names any more. */
  readonly counted: CountedKind | undefined;
  /** The newest first: not all of them. */
  readonly newest: readonly FailedReading[];
  /** Undefined where nothing was read in the window, and for kinds with fewer readings than many others. */
  readonly share: Estimate | undefined;
}

/** A share costs a search for both of its ends. */
const SHARES_MAX = 30;
const UNNAMED_SHOWN = 200;

export async function failureBoard(
  reader: { readonly failures: FailureReader; readonly frame: FrameReader },
  query: FrameQuery & { readonly agent: string },
) {
  const { failures } = reader;
  const counted = new Map((await failures.countedKinds(query.agent)).map((one) => [one.kind, one]));
  const newest = Map.groupBy(await failures.failedReadings(query.agent), ({ kind }) => kind);
  const kinds = kindsOf(counted, newest, await failures.keptKinds(query.agent));
  const unnamed = counted.get(undefined)?.readings ?? 0;
  const some = newest.get(undefined) ?? [];
  // Newer readings that have a kind must not hide those that need one.
  const hasEnough = some.length >= Math.min(unnamed, UNNAMED_SHOWN);
  const withoutKind = hasEnough ? some : await failures.failedReadings(query.agent, 'without a kind');
  const sampled = await windowEstimate(reader.frame, query);
  const unseen = unseenKinds(sampled.drawn, new Map([...counted].map(([kind, { readings }]) => [kind, readings])));
  return {
    kinds: kinds.map((kind, at) => ({
      ...kind,
      share: at < SHARES_MAX ? rounded(shareOfKind(sampled, kind.name)) : undefined,
    })),
    withoutKind: { newest: withoutKind, readings: unnamed },
    proposed: noteGroups(withoutKind.map(({ note = '' }) => note)),
    unseen: unseen && { ...unseen, ...rounded(unseen) },
    /** Conversations of the sample, which shares rest on. */
    read: Math.min(sampled.drawn.length, SHARE_DRAWS_MAX),
  };
}

/** More mended kinds of an agent are no series. */
const MENDED_MAX = 20;

interface ReturnedKind {
  readonly kind: string;
  /** Conversations of it that began after it was called mended. */
  readonly conversations: number;
}

/** Counts for the kinds that were called mended last. */
export async function returnedKinds(reader: FailureReader, agent: string): Promise<readonly ReturnedKind[]> {
  const mended = (await reader.keptKinds(agent))
    .filter(({ state }) => state === 'mended')
    .toSorted((a, b) => b.stateAt - a.stateAt)
    .slice(0, MENDED_MAX);
  if (mended.length === 0) return [];
  const counted = new Map((await reader.countedKinds(agent)).map(({ kind, later }) => [kind, later]));
  return mended.map(({ name }) => ({ kind: name, conversations: counted.get(name) ?? 0 }));
}

/** Kinds that are back come first, then those with most readings. */
function kindsOf(
  counted: ReadonlyMap<string | undefined, CountedKind>,
  newest: ReadonlyMap<string | undefined, readonly FailedReading[]>,
  kept: readonly KeptKind[],
): readonly Omit<KindOnBoard, 'share'>[] {
  const states = new Map(kept.map((one) => [one.name, one]));
  const names = new Set([...counted.keys(), ...states.keys()].filter((name) => name !== undefined));
  return [...names]
    .map((name) => {
      const [said, of] = [states.get(name), counted.get(name)];
      return { name, state: stateOf(said, of), stateAt: said?.stateAt, counted: of, newest: newest.get(name) ?? [] };
    })
    .toSorted(
      (a, b) =>
        Number(b.state === 'back') - Number(a.state === 'back') ||
        (b.counted?.readings ?? 0) - (a.counted?.readings ?? 0) ||
        (a.name < b.name ? -1 : 1),
    );
}

/** A conversation that began before the kind was mended and is read later says nothing against that. */
function stateOf(said: KeptKind | undefined, counted: CountedKind | undefined): ShownKindState {
  if (said === undefined) return 'open';
  return said.state === 'mended' && (counted?.later ?? 0) > 0 ? 'back' : said.state;
}
