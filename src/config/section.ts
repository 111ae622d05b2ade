/** Settings that belong together: one mapping of the file, and one member of `Settings`. */
import type { Declarations, Setting, ValuesOf } from './setting.ts';
import type { Sources } from './sources.ts';

export interface Section<T> {
  /** One sentence. */
  readonly help: string;
  /**
   * Whether a reload takes new values. Settings that a receiver, the journal, the store or Kafka was opened with stay
   * until the next start.
   */
  readonly reload: boolean;
  readonly declared: Declarations;
  read(sources: Sources): T;
}

export type SettingsOf<S> = S extends Section<infer T> ? T : never;

type PlainSection<D> = Section<ValuesOf<D>> & {
  /** Checks how the values fit together, and makes of them what the code receives. */
  build<T>(make: (values: ValuesOf<D>, sources: Sources) => T): Section<T>;
};

/** New values are taken by a reload, or only at a start. A setting may say so for itself. */
export function section<const D extends Declarations>(
  takenAt: 'reload' | 'start',
  help: string,
  declared: D,
): PlainSection<D> {
  const common = { help, reload: takenAt === 'reload', declared };
  const read = (sources: Sources) => readAll(declared, sources);
  return { ...common, read, build: (make) => ({ ...common, read: (sources) => make(read(sources), sources) }) };
}

function readAll<D extends Declarations>(declared: D, sources: Sources): ValuesOf<D> {
  const values = Object.entries(declared).map(([name, one]) => [
    name,
    isSetting(one) ? one.read(sources) : readAll(one, sources),
  ]);
  // The cast holds: each value is that of the setting of its name.
  return Object.fromEntries(values) as ValuesOf<D>;
}

export function isSetting(one: Setting<unknown> | Declarations): one is Setting<unknown> {
  return typeof one.read === 'function';
}

/** How many deployments need a setting; documentation shows the levels apart. */
export type Level = 'common' | 'rare';

export function isOf(level: Level, { rare = false }: { readonly rare?: boolean | undefined }): boolean {
  return rare === (level === 'rare');
}

/** All settings of a section, grouped or not. */
export function settingsIn(declared: Declarations): Setting<unknown>[] {
  return Object.values(declared).flatMap((one) => (isSetting(one) ? [one] : settingsIn(one)));
}

/** A limit that makes no sense where it is under another one. */
export function expectAtLeast(
  sources: Sources,
  [key, value]: readonly [key: string, value: number],
  [other, least]: readonly [other: string, least: number],
  format: (amount: number) => string,
): void {
  if (value >= least) return;
  const problem = `${format(value)} is less than ${other}, which is ${format(least)}`;
  sources.mistake(key, problem, `at least ${format(least)}`);
}
