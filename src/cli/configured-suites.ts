/** Suites of the configuration, named on a command line: `--suite refunds` where `suites: [refunds.yaml]` is configured. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Settings } from '../config/settings.ts';
import { suiteLoading } from '../engine/suite-loading.ts';
import { builtinPacks, loadSuites } from '../score/load-suites.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

interface NamedSuites {
  readonly configured: readonly CompiledSuite[];
  /** References that name no configured suite: files, folders, built-in packs, and mistakes. */
  readonly others: readonly string[];
}

/** A built-in pack and a file go before a configured suite of that name. */
export async function configuredSuites(
  references: readonly string[],
  settings: Settings,
  builtinDir: string,
): Promise<NamedSuites> {
  const packs = await builtinPacks(builtinDir);
  const isName = await Promise.all(
    references.map(async (one) => !/[./\\]/.test(one) && !packs.includes(one) && !(await exists(one))),
  );
  if (!isName.includes(true)) return { configured: [], others: references };
  const { suites } = await loadSuites(settings.suites, {
    baseDir: settings.baseDir,
    builtinDir,
    ...suiteLoading(settings),
  });
  const isConfigured = (one: string, at: number) => isName[at] === true && suites.some(({ name }) => name === one);
  const names = references.filter(isConfigured);
  return {
    configured: suites.filter(({ name }) => names.includes(name)),
    others: references.filter((one, at) => !isConfigured(one, at)),
  };
}

async function exists(reference: string): Promise<boolean> {
  return (await stat(path.resolve(reference)).catch(() => undefined)) !== undefined;
}
