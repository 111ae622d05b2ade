/**
 * The first sentence of the overview: has it got worse? One answer, from the first of these that has one:
 *
 *   an alarm     detection has one open for the suite and the agents that are shown, the one that began last
 *   a change     the comparison with the time before is clear of chance
 *   no change    there is such a comparison, and it is not
 *   too early    there is none yet
 */
import { h, type JSX } from 'preact';
import type { Detections } from '../../model/api/detections.ts';
import type { Moved } from '../../model/api/moved.ts';
import { wordsOf } from '../../model/suite-words.ts';
import type { About } from '../../model/evaluation.ts';
import { counted, countText, points } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';

interface Told {
  readonly is: 'fell' | 'rose' | 'same' | 'early';
  readonly sentence: string;
  /** Behind the sentence: since when. */
  readonly since?: string;
}

interface HeadlineParts {
  /** Alarms of what is shown. */
  readonly open: Detections['open'];
  readonly moved: Moved | undefined;
  /** Version whose first conversation begins the time compared, if one does. */
  readonly version: string | undefined;
  /** Agents that are shown. */
  readonly whose: string;
  readonly about: About | undefined;
  readonly scope: 'conversation' | 'turn';
}

export function headlineOf({ open, moved, version, whose, about, scope }: HeadlineParts): Told | undefined {
  const alarm = open.toSorted((a, b) => ((a.since ?? '') < (b.since ?? '') ? 1 : -1))[0];
  if (alarm !== undefined)
    return { is: alarm.size !== undefined && alarm.size.value > 0 ? 'rose' : 'fell', sentence: alarm.sentence };
  if (moved === undefined) return undefined;
  const { difference, before, after, parts, too_early: early } = moved;
  const since = after.since;
  const when = version === undefined ? 'since' : `since ${version} was first seen,`;
  const score = wordsOf(about).score;
  if (difference === undefined) {
    const why = early ?? 'there is nothing to compare it with';
    return { is: 'early', sentence: `${whose}: too early to say whether the ${score} has changed: ${why}.` };
  }
  const by = `${points(difference.value)} points (${points(difference.low)} to ${points(difference.high)})`;
  const counts = `${counted(after.evaluations, scope)} against ${countText(before.evaluations)} before`;
  const isClear = difference.low > 0 || difference.high < 0;
  if (!isClear)
    return {
      is: 'same',
      sentence: `${whose}: no change of the ${score} that is clear of chance, ${by}, ${counts}, ${when}`,
      since,
    };
  const most = parts.find((part) => Math.sign(part.points) === Math.sign(difference.value));
  const mostly = most === undefined ? '' : `, most of it ${PART_WORDS[most.kind] ?? most.name} ${points(most.points)}`;
  const is = difference.value < 0 ? 'fell' : 'rose';
  return { is, sentence: `${whose}: the ${score} ${is} by ${by}${mostly}, ${counts}, ${when}`, since };
}

const PART_WORDS: Readonly<Record<string, string | undefined>> = {
  hard_failures: 'hard failures',
  mix: 'another mix of what was decided',
};

export function Headline(parts: HeadlineParts): JSX.Element | null {
  const told = headlineOf(parts);
  if (told === undefined) return null;
  return h(
    'p',
    { class: `headline ${told.is}`, role: 'status' },
    h(SpanText, { text: told.sentence, charactersMax: 600 }),
    told.since !== undefined && [' ', h(Time, { key: 'since', at: told.since }), '.'],
  );
}
