/**
 * Configuration of the other projects of a process. Each is a file that could also run alone, on another machine. The
 * process has the addresses, ports, certificates, name of the instance and level of the log of the default project. The
 * variables ASSAY_… are the default project's as well: they would be of all projects at once.
 */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { LoadedSettings, Settings } from '../config/settings.ts';
import type { Mistake } from '../model/mistake.ts';
import type { ProjectStart } from '../serve/projects.ts';
import { failOn, load } from './load.ts';

export function projectStarts(main: Settings): readonly ProjectStart[] {
  const others = new Map<string, Settings>([['the default project', main]]);
  return main.projects.map(({ name, file }) => ({
    name,
    load: async () => {
      const own = (loaded: LoadedSettings): LoadedSettings => {
        const settings = ofProcess(loaded.settings, name, main);
        // At once, so that of two that are read together one sees the other.
        others.set(`the project ${name}`, settings);
        return { ...loaded, settings, mistakes: [...loaded.mistakes, ...sharedWith(others, settings, { name, file })] };
      };
      const loaded = await load({ config: file }, { env: withoutOurs(process.env) });
      const { settings, mistakes } = own({ ...loaded, mistakes: [] });
      if (mistakes.length > 0) others.delete(`the project ${name}`);
      failOn(mistakes);
      return { ...loaded, settings, loadSettings: () => own(loaded.loadSettings()) };
    },
  }));
}

function ofProcess(settings: Settings, project: string, main: Settings): Settings {
  const { host, httpPort, otlpGrpcPort, otlpHttpPort, tls, instance, logLevel } = main;
  const { http } = settings;
  return {
    ...settings,
    // No name below localhost can be registered, and no page can have this one.
    http: { ...http, allowedHosts: [...http.allowedHosts, `${project}.localhost`] },
    ...{ project, host, httpPort, otlpGrpcPort, otlpHttpPort, tls, instance, logLevel },
    // The process sends its own once.
    telemetry: undefined,
  };
}

function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ASSAY_')));
}

/** A folder, a store or a group of consumers that two projects have in common would mix them. */
function sharedWith(
  others: ReadonlyMap<string, Settings>,
  settings: Settings,
  { name, file }: { readonly name: string; readonly file: string },
): readonly Mistake[] {
  const mistake = (path: string, problem: string, expected: string): Mistake => ({
    ...{ file, line: undefined, column: undefined, path, problem, expected },
  });
  const isOther = ([other]: readonly [string, Settings]) => other !== `the project ${name}`;
  const same = [...others].filter(isOther).flatMap(([other, theirs]) => {
    const groupOf = ({ kafka }: Settings) => kafka?.read === true && `${kafka.brokers.join(',')} ${kafka.group}`;
    return [
      ...(isOneInOther(theirs.dataDir, settings.dataDir)
        ? [
            mistake(
              'data_dir',
              `${settings.dataDir} is that of ${other}, or one is within the other`,
              'a folder of its own',
            ),
          ]
        : []),
      ...(theirs.sharedStore !== undefined && theirs.sharedStore.url === settings.sharedStore?.url
        ? [mistake('store.url', `it is that of ${other}`, 'a database of its own')]
        : []),
      ...(isOneInOther(theirs.archive?.url, settings.archive?.url)
        ? [
            mistake(
              'archive.url',
              `it is that of ${other}, or one is within the other`,
              'a folder or a prefix of its own',
            ),
          ]
        : []),
      ...(groupOf(theirs) !== false && groupOf(theirs) === groupOf(settings)
        ? [mistake('kafka.group', `${settings.kafka?.group} is that of ${other}`, 'a group and topics of its own')]
        : []),
    ];
  });
  const nested =
    settings.projects.length > 0 ? [mistake('projects', 'a project has no projects', 'them beside it')] : [];
  return [...same, ...nested];
}

/** Whether two places are one, or one is within the other, by whatever links they are reached. */
function isOneInOther(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [wholePath(one), wholePath(other)];
  return a.startsWith(b) || b.startsWith(a);
}

/** With a slash at its end. A folder that is not there yet has no links in its last part. */
function wholePath(place: string): string {
  if (/^\w+:\/\//.test(place)) return `${place.replace(/\/+$/, '')}/`;
  try {
    return path.join(realpathSync(place), '/');
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(wholePath(parent), path.basename(place), '/');
  }
}
