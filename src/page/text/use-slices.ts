/**
 * The slices of a text that somebody reads. A text that the answer cut is asked for in parts, which are much smaller than
 * the text may be: a browser stands still while it reads ten megabytes of JSON.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { WholeText } from '../../api/conversation-detail.ts';
import { ask } from '../api/ask.ts';
import { endOf, sliceAt, SLICE_CHARACTERS, type TextSlice, withSlice } from './text-slices.ts';

type Move = 'begin' | 'earlier' | 'later' | 'end';

interface Slices {
  readonly slices: readonly TextSlice[];
  /** Length of the whole text; undefined while only the service knows it. */
  readonly characters: number | undefined;
  readonly isWaiting: boolean;
  /** Why a part of the text did not come. */
  readonly problem: string | undefined;
  readonly move: (to: Move) => void;
}

type Part = Pick<WholeText, 'from' | 'text' | 'characters'>;

const FIRST_CHARACTERS = 4_000;
const PART_CHARACTERS = 16 * SLICE_CHARACTERS;
/** As the answer ends a text that it cuts. */
const CUT = '…';

export function useSlices(given: string, whole: string | undefined): Slices {
  const isCut = whole !== undefined && given.endsWith(CUT);
  const known = isCut ? given.slice(0, -CUT.length) : given;
  const local = useMemo(() => ({ from: 0, text: known, characters: known.length }), [known]);
  const first = useMemo(() => [sliceAt(local, 0, FIRST_CHARACTERS)].filter((one) => one !== undefined), [local]);
  const [moved, setMoved] = useState<readonly TextSlice[] | undefined>();
  const [part, setPart] = useState<Part | undefined>(isCut ? undefined : local);
  const [isWaiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  useEffect(() => {
    setMoved(undefined);
    setPart(isCut ? undefined : local);
  }, [local, isCut]);
  const slices = moved ?? first;

  /** The part that has the slice: the one that is here, or one that is asked for. */
  const partAround = async (from: number, beginsAt = from): Promise<Part | undefined> => {
    if (!isCut || (part !== undefined && sliceAt(part, from) !== undefined)) return part ?? local;
    const query = new URLSearchParams({ from: String(beginsAt), length: String(PART_CHARACTERS) });
    setWaiting(true);
    const reply = await ask<WholeText>(`${whole}&${query.toString()}`, { signal: gone.current.signal });
    setWaiting(false);
    setProblem(reply.is === 'here' ? undefined : reply.why);
    if (reply.is !== 'here') return undefined;
    setPart(reply.value);
    return reply.value;
  };
  const show = async (to: Move): Promise<void> => {
    const from = await beginOf(to);
    const beginsAt = to === 'earlier' ? Math.max(0, (from ?? 0) - PART_CHARACTERS + SLICE_CHARACTERS) : from;
    const around = from === undefined ? undefined : await partAround(from, beginsAt);
    const before = to === 'earlier' ? (slices[0]?.from ?? 0) : Number.POSITIVE_INFINITY;
    const slice =
      around === undefined || from === undefined
        ? undefined
        : sliceAt(around, from, Math.min(SLICE_CHARACTERS, before - from));
    if (slice !== undefined) setMoved(withSlice(slices, slice));
  };
  const beginOf = async (to: Move): Promise<number | undefined> => {
    const end = Math.max(...slices.map(endOf), 0);
    switch (to) {
      case 'begin':
        return 0;
      case 'earlier':
        return Math.max(0, (slices[0]?.from ?? 0) - SLICE_CHARACTERS);
      case 'later':
        return end;
      case 'end': {
        const characters = (part ?? (await partAround(end)))?.characters;
        return characters === undefined ? undefined : Math.max(0, characters - FIRST_CHARACTERS);
      }
      default:
        return to satisfies never;
    }
  };
  return {
    slices,
    characters: part?.characters,
    isWaiting,
    problem,
    move: (to) => {
      show(to).catch(() => {
        // Aborted: nobody reads it any more.
      });
    },
  };
}
