/** The board of an agent's kinds of failure: how far each is, how often it comes, and what has no kind yet. */
import type { FailedReading, KeptKind, ShownKindState } from '../../model/named-kinds.ts';
import type { Estimate } from '../../model/estimate.ts';
import type { FailureReader } from '../../store/failure-store.ts';
import type { FrameReader } from '../../store/frame-reader.ts';
import { windowEstimate } from '../estimate/window-estimate.ts';
import { type NoteGroup, noteGroups } from './note-groups.ts';
import { SHARE_DRAWS_MAX, shareOfKind, unseenKinds } from './sampled-kinds.ts';

interface BoardQuery {
  readonly agent: string;
  readonly since: number;
  readonly until: number;
}

export interface KindOnBoard {
  readonly name: string;
  readonly state: ShownKindState;
  /** When a person said so; undefined for a kind of which nobody did. */
  readonly stateAt: number | undefined;
  /** The newest first. */
  readonly readings: readonly FailedReading[];
  /** Undefined where nothing was read in the window, and for kinds with fewer readings than many others. */
  readonly share: Estimate | undefined;
}

interface Board {
  readonly kinds: readonly KindOnBoard[];
  readonly withoutKind: readonly FailedReading[];
  readonly proposed: readonly NoteGroup[];
  readonly unseen: ReturnType<typeof unseenKinds>;
  /** Conversations of the sample, which shares rest on. */
  readonly read: number;
}

/** A share costs a search for both of its ends. */
const SHARES_MAX = 30;

export async function failureBoard(
  reader: { readonly failures: FailureReader; readonly frame: FrameReader },
  query: BoardQuery,
): Promise<Board> {
  const failed = await reader.failures.failedReadings(query.agent);
  const kinds = kindsOf(failed, await reader.failures.keptKinds(query.agent));
  const withoutKind = failed.filter(({ kind }) => kind === undefined);
  const sampled = await windowEstimate(reader.frame, query);
  return {
    kinds: kinds.map((kind, at) => ({
      ...kind,
      share: at < SHARES_MAX ? shareOfKind(sampled, kind.name) : undefined,
    })),
    withoutKind,
    proposed: noteGroups(withoutKind.map(({ note = '' }) => note)),
    unseen: unseenKinds(
      sampled.drawn,
      failed.map(({ kind }) => kind),
    ),
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
  const failed = await reader.failedReadings(agent);
  return mended.map(({ name, stateAt }) => {
    const later = failed.filter(({ kind, beganAt }) => kind === name && beganAt > stateAt);
    return { kind: name, conversations: new Set(later.map(({ conversationId }) => conversationId)).size };
  });
}

/** Kinds that are back come first, then those with most readings. */
function kindsOf(failed: readonly FailedReading[], kept: readonly KeptKind[]): readonly Omit<KindOnBoard, 'share'>[] {
  const states = new Map(kept.map((one) => [one.name, one]));
  const read = Map.groupBy(failed, ({ kind }) => kind);
  const names = new Set([...read.keys(), ...states.keys()].filter((name) => name !== undefined));
  return [...names]
    .map((name) => {
      const readings = read.get(name) ?? [];
      const said = states.get(name);
      return { name, state: stateOf(said, readings), stateAt: said?.stateAt, readings };
    })
    .toSorted(
      (a, b) =>
        Number(b.state === 'back') - Number(a.state === 'back') ||
        b.readings.length - a.readings.length ||
        (a.name < b.name ? -1 : 1),
    );
}

/** A conversation that began before the kind was mended and is read later says nothing against that. */
function stateOf(said: KeptKind | undefined, readings: readonly FailedReading[]): ShownKindState {
  if (said === undefined) return 'open';
  const isBack = said.state === 'mended' && readings.some(({ beganAt }) => beganAt > said.stateAt);
  return isBack ? 'back' : said.state;
}
