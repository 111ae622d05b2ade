/** The board of kinds of failure in words, the same on every surface. */
import { counted } from './counted.ts';
import { KIND_STATES, type ShownKindState } from './named-kinds.ts';

interface Board {
  readonly kinds: readonly { readonly name: string; readonly state: ShownKindState }[];
  readonly withoutKind: number;
  readonly proposed: number;
}

const STATES = ['back', ...KIND_STATES] as const;

export function boardWords({ kinds, withoutKind }: Board): string {
  if (kinds.length === 0 && withoutKind === 0) return 'No bad reading is known, so no kind of failure is.';
  const parts = STATES.flatMap((state) => {
    const { length } = kinds.filter((kind) => kind.state === state);
    return length === 0 ? [] : [`${length} ${state}`];
  });
  const named =
    kinds.length === 0
      ? 'No kind of failure has a name'
      : `${counted(kinds.length, 'kind')} of failure: ${parts.join(', ')}`;
  const left = withoutKind === 0 ? '' : ` ${counted(withoutKind, 'bad reading')} without a kind.`;
  return `${named}.${left}`;
}

export function boardAdvice({ kinds, withoutKind, proposed }: Board): string {
  const back = kinds.filter(({ state }) => state === 'back');
  if (back.length > 0) {
    const names = back.slice(0, 3).map(({ name }) => JSON.stringify(name));
    return `Look at ${names.join(', ')}: conversations began after it was called mended.`;
  }
  if (withoutKind > 0) {
    const groups = proposed === 0 ? '' : `; ${counted(proposed, 'group')} of notes can be accepted as proposed`;
    return `Name the kind of ${counted(withoutKind, 'bad reading')}${groups}.`;
  }
  if (kinds.length === 0) return 'Read conversations, and name the kind of each that went badly.';
  const [open] = kinds.filter(({ state }) => state === 'open');
  if (open === undefined)
    return 'Read on: a kind that comes back shows as soon as somebody reads one of its conversations.';
  return `Mend or watch ${JSON.stringify(open.name)}, the most frequent open kind.`;
}

interface Unseen {
  readonly kinds: number;
  readonly lower: number;
  readonly upper: number;
  readonly unnamed: number;
}

export function unseenWords({ kinds, lower, upper, unnamed }: Unseen): string {
  const [low, high] = [Math.floor(lower * 100), Math.ceil(upper * 100)];
  const named =
    unnamed === 0
      ? ''
      : ` Naming the ${counted(unnamed, 'failure')} without a kind in the random sample of this time narrows it.`;
  return `You have seen ${counted(kinds, 'kind')}; the next failure is of a new kind with probability ${low} to ${high} %.${named}`;
}
