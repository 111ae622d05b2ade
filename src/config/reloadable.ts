/**
 * Merges the running settings with those of a reload. A setting whose declaration says so takes its new value; the others keep theirs, and those that
 * changed are named.
 */
import { isDeepStrictEqual } from 'node:util';
import { isSetting, type Section, settingsIn } from './section.ts';
import { ALL_SECTIONS, SECTIONS, TOP_SECTIONS } from './sections.ts';
import type { Settings } from './settings.ts';

interface Reloaded {
  /** The settings in use from now on. */
  readonly settings: Settings;
  /** Settings, as people write them, that have changed and need a restart. */
  readonly needRestart: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;
/** Names of the settings that need a restart, by the member that holds them. */
type Restarts = Readonly<Record<string, string>>;

export function reloaded(running: Settings, next: Settings): Reloaded {
  const needRestart: string[] = [];
  const merged = (before: Values, after: Values, restarts: Restarts): Values => {
    const kept = Object.keys(restarts).filter((member) => !isDeepStrictEqual(before[member], after[member]));
    needRestart.push(...kept.map((member) => restarts[member] ?? member));
    return { ...after, ...Object.fromEntries(kept.map((member) => [member, before[member]])) };
  };
  const before: Values = { ...running };
  let settings = merged(before, { ...next }, TOP_RESTARTS);
  for (const [member, section] of Object.entries<Section<unknown>>(SECTIONS)) {
    const restarts = restartsIn(section);
    if (isWhole(section)) settings = merged(before, settings, { [member]: nameOf(section) });
    // The casts hold: a section of which a reload takes a part is a mapping.
    else if (Object.keys(restarts).length > 0)
      settings = { ...settings, [member]: merged(before[member] as Values, settings[member] as Values, restarts) };
  }
  // The cast holds: each value is that of the same member of one or the other.
  return { settings: settings as unknown as Settings, needRestart };
}

const TOP_RESTARTS: Restarts = Object.assign({}, ...Object.values(TOP_SECTIONS).map(restartsIn));

/** All that `needRestart` can name. */
export function restartNames(): readonly string[] {
  const ofSections = Object.values<Section<unknown>>(SECTIONS).flatMap((section) =>
    isWhole(section) ? [nameOf(section)] : Object.values(restartsIn(section)),
  );
  return [...Object.values(TOP_RESTARTS), ...ofSections];
}

/** Whether a reload takes nothing of it. */
function isWhole(section: Section<unknown>): boolean {
  return Object.keys(restartsIn(section)).length === Object.keys(section.declared).length;
}

/** A setting says for itself whether a reload takes it, else its section does. */
function restartsIn({ reload, declared }: Section<unknown>): Restarts {
  const restarts = Object.entries(declared).filter(([, one]) => !((isSetting(one) ? one.reload : undefined) ?? reload));
  return Object.fromEntries(restarts.map(([member, one]) => [member, isSetting(one) ? one.key : member]));
}

/** A section is called as its first mapping is; by all its settings where it shares that with another section. */
function nameOf(section: Section<unknown>): string {
  const groupsOf = ({ declared }: Section<unknown>) => settingsIn(declared).map(({ key }) => key.split('.')[0] ?? '');
  const others = ALL_SECTIONS.filter((one) => one !== section).flatMap(groupsOf);
  const [first = ''] = groupsOf(section);
  return others.includes(first)
    ? settingsIn(section.declared)
        .map(({ key }) => key)
        .join(' or ')
    : first;
}
