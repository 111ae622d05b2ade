/** Kinds of the failures that are counted as one outcome. */
import { countText, counted } from './format.ts';

const SHOWN = 3;

/** Undefined where no failure said its kind. It says of how many, where that is fewer than were counted: the latest, or those since kinds are kept. */
export function kindsText(kinds: Readonly<Record<string, number>> | undefined, of: number): string | undefined {
  const all = Object.entries(kinds ?? {});
  if (all.length === 0) return undefined;
  const known = all.reduce((sum, [, count]) => sum + count, 0);
  const shown = all.slice(0, SHOWN).map(([kind, count]) => `${countText(count)} ${kind}`);
  const more = all.length > SHOWN ? [counted(all.length - SHOWN, 'more kind')] : [];
  return `${known < of ? `of ${countText(known)}: ` : ''}${[...shown, ...more].join(', ')}`;
}
