/**
 * A conversation at a glance, for lists: when it was (conversation-time.ts), what the user asked first and what the agent answered last. It is
 * kept in the conversation's row, because a list of fifty cannot read the spans of fifty. Turns are looked at in the
 * order in which they arrive, which need not be that in which they happened.
 */
import type { WrongClock } from '../model/events/scoring-events.ts';
import type { Content } from '../model/step.ts';
import type { Turn } from '../model/turn.ts';
import { visibleText } from '../model/visible-text.ts';
import type { ConversationGlance } from '../store/conversation-columns.ts';
import { believed, wrongClock } from './conversation-time.ts';

const SHOWN_CHARACTERS = 240;
/** Text that is mostly blank is cut before it is tidied. */
const READ_CHARACTERS = 4 * SHOWN_CHARACTERS;

export function glanceOf(turns: readonly Turn[], arrivedAt: number): ConversationGlance {
  let glance: ConversationGlance = {};
  for (const turn of turns) {
    const asked = beginning(turn.userInput);
    const answered = beginning(turn.finalAnswer);
    glance = mergedGlance(glance, {
      beganAtMs: believed(turn.startedAtMs, arrivedAt),
      ceasedAtMs: believed(turn.endedAtMs, arrivedAt),
      ...(wrongClock(turn.startedAtMs, arrivedAt) === undefined ? {} : { isClockWrong: true as const }),
      ...(asked === undefined ? {} : { asked }),
      ...(answered === undefined ? {} : { answered }),
    });
  }
  return glance;
}

/** Times of turns that cannot be true. */
export function wrongClocksOf(turns: readonly Turn[], arrivedAt: number): readonly WrongClock[] {
  return turns.flatMap(({ startedAtMs }) => wrongClock(startedAtMs, arrivedAt) ?? []);
}

export function mergedGlance(known: ConversationGlance, more: ConversationGlance): ConversationGlance {
  // The same turn with more spans counts as the first and as the last.
  const isEarlier = (more.beganAtMs ?? Number.POSITIVE_INFINITY) <= (known.beganAtMs ?? Number.POSITIVE_INFINITY);
  const isLater = ceasesLater(more, known);
  return {
    beganAtMs: isEarlier ? more.beganAtMs : known.beganAtMs,
    ceasedAtMs: isLater ? more.ceasedAtMs : known.ceasedAtMs,
    asked: isEarlier ? (more.asked ?? known.asked) : (known.asked ?? more.asked),
    answered: isLater ? (more.answered ?? known.answered) : (known.answered ?? more.answered),
    ...(known.isClockWrong === true || more.isClockWrong === true ? { isClockWrong: true as const } : {}),
  };
}

/** True as well of the same time, which the same turn with more spans has. */
export function ceasesLater(more: ConversationGlance, known: ConversationGlance): boolean {
  return (more.ceasedAtMs ?? Number.NEGATIVE_INFINITY) >= (known.ceasedAtMs ?? Number.NEGATIVE_INFINITY);
}

/** Beginning of a text on one line, without invisible characters. */
function beginning({ text }: Content): string | undefined {
  if (text === '') return undefined;
  const tidy = visibleText(text.slice(0, READ_CHARACTERS)).replace(BLANKS, ' ').trim();
  if (tidy === '') return undefined;
  if (tidy.length <= SHOWN_CHARACTERS && text.length <= READ_CHARACTERS) return tidy.toWellFormed();
  // Cut by code points, so that no half of a surrogate pair is left.
  const shown = tidy.slice(0, 2 * SHOWN_CHARACTERS);
  const points = PAIRS.test(shown) ? [...shown].slice(0, SHOWN_CHARACTERS).join('') : shown.slice(0, SHOWN_CHARACTERS);
  return `${points.toWellFormed()}…`;
}

/** Not a single blank, which would be replaced by itself. */
const BLANKS = /[^\S ]+\s*| \s+/g;
const PAIRS = /[\ud800-\udfff]/;
