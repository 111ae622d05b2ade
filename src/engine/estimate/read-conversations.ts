/** Conversations of a window that people have read, with the chance by which lots chose each. */
import { type Candidate, type FrameQuery, type FrameReader, rateOf } from '../../store/frame-reader.ts';
import { isRead, sampleOf } from './sample.ts';

export interface ReadCandidate {
  readonly candidate: Candidate;
  /** Relative chance; undefined of one that was read out of turn. */
  readonly rate: number | undefined;
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
  const drawn = new Set(sampleOf(candidates).drawn);
  return candidates
    .filter(isRead)
    .slice(0, limit)
    .map((candidate) => ({ candidate, rate: drawn.has(candidate) ? rateOf(candidate.known.called) : undefined }));
}

/** The first kind that a person names who says that it went badly. */
export function kindOf({ readings }: Candidate): string | undefined {
  return readings.find(({ source, answer, kind }) => source === 'person' && answer === 'bad' && kind !== undefined)
    ?.kind;
}
