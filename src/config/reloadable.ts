/**
 * Merges the running settings with those of a reload. A setting whose declaration says so takes its new value; the others keep theirs, and those that
 * changed are named.
 */
import { isDeepStrictEqual } from 'node:util';
import { isSetting, type Section, settingsIn } from './section.ts';
import { ALL_SECTIONS, SECTIONS, type Settings, TOP_SECTIONS } from './settings.ts';

interface Reloaded {
  /** What runs from now on. */
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
  let settings = merged(before, { ...next }, Object.assign({}, ...Object.values(TOP_SECTIONS).map(restartsIn)));
  for (const [member, section] of Object.entries<Section<unknown>>(SECTIONS)) {
    const restarts = restartsIn(section);
    const isWhole = Object.keys(restarts).length === Object.keys(section.declared).length;
    if (isWhole) settings = merged(before, settings, { [member]: nameOf(section) });
    // The casts hold: a section of which a reload takes a part is a mapping.
    else if (Object.keys(restarts).length > 0)
      settings = { ...settings, [member]: merged(before[member] as Values, settings[member] as Values, restarts) };
  }
  // The cast holds: each value is that of the same member of one or the other.
  return { settings: settings as unknown as Settings, needRestart };
}

/** A setting says for itself whether a reload takes it, else its section does. */
function restartsIn({ reload, declared }: Section<unknown>): Restarts {
  const restarts = Object.entries(declared).filter(([, one]) => !((isSetting(one) ? one.reload : undefined) ?? reload));
  return Object.fromEntries(restarts.map(([member, one]) => [member, isSetting(one) ? one.key : member]));
}

/** A section is called as its mappings are; by all its settings where it shares them with another section. */
function nameOf(section: Section<unknown>): string {
  const groupsOf = ({ declared }: Section<unknown>) => settingsIn(declared).map(({ key }) => key.split('.')[0] ?? '');
  const others = ALL_SECTIONS.filter((one) => one !== section).flatMap(groupsOf);
  const groups = groupsOf(section);
  const isShared = groups.some((group) => others.includes(group));
  return [...new Set(isShared ? settingsIn(section.declared).map(({ key }) => key) : groups)].join(' or ');
}
