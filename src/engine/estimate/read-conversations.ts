/** Conversations of a window that people have read, with the chance by which lots chose each. */
import type { Candidate, FrameQuery, FrameReader } from '../../store/frame-reader.ts';
import { chancesOf, isRead, sampleOf } from './sample.ts';

export interface ReadCandidate {
  readonly candidate: Candidate;
  /** Undefined of one that was read out of turn. */
  readonly chance: number | undefined;
}

/** Conversations that are left may come before some that were read. */
const LOOKED_AT_MAX = 2000;
const MORE = 200;

export async function readConversations(
  frame: FrameReader,
  query: FrameQuery,
  limit: number,
): Promise<readonly ReadCandidate[]> {
  const { conversations } = await frame.readByPeople(query);
  const candidates = await frame.firstToRead(query, Math.min(LOOKED_AT_MAX, conversations + MORE));
  const chances = chancesOf(sampleOf(candidates).drawn);
  return candidates
    .filter(isRead)
    .slice(0, limit)
    .map((candidate) => ({ candidate, chance: chances.get(candidate) }));
}

/** The first kind that a person names who says that it went badly. */
export function kindOf({ readings }: Candidate): string | undefined {
  return readings.find(({ source, answer, kind }) => source === 'person' && answer === 'bad' && kind !== undefined)
    ?.kind;
}
