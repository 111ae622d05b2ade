/**
 * Finds and compiles the suites a configuration names: built-in packs by name, files and folders by path. Every mistake
 * in any of them is given, all at once; whether to start in spite of one is for the caller, and the answer should be no.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '../model/did-you-mean.ts';
import type { Mistake } from '../model/mistake.ts';
import { type KnownExporter, ledgerOf } from '../model/exporters.ts';
import type { ToolNames } from '../model/tool-names.ts';
import type { CompiledWithMistakes } from './suite/compile-suite.ts';
import { certificateFile, certificatesOf } from './certificates.ts';
import { goldenFilesIn } from './trajectory/golden-files.ts';
import { handsOverBy, handsOverByDefault } from './subject/hand-over.ts';
import { unknownJudges } from './judge/unknown-judges.ts';
import { readSuiteModule } from './suite-module.ts';
import type { CompiledSuite } from './suite/suite.ts';
import { readSuite } from './suite/read-suite.ts';

interface LoadOptions {
  /** Folder of relative paths. */
  readonly baseDir: string;
  /** Folder of the built-in packs. */
  readonly builtinDir: string;
  /** The judges there are, for criteria that name one; without any, names are not looked at. */
  readonly judges?: readonly string[];
  /** Globs for the tools that hand a conversation over to a person; those of common names unless given. */
  readonly handOverTools?: readonly string[];
  /** Exporters beside those of the shipped ledger. */
  readonly exporters?: readonly KnownExporter[];
  /** Tools as the configuration describes them. */
  readonly tools?: ToolNames | undefined;
  /** Candidates to run in shadow, beside those of the same name that are live. */
  readonly shadows?: readonly string[];
}

interface LoadedSuites {
  /** Suites without a mistake, in the order in which they were named. */
  readonly suites: readonly CompiledSuite[];
  /** Likewise. */
  readonly shadows: readonly CompiledSuite[];
  readonly mistakes: readonly Mistake[];
}

/** Files that end in `.test.yaml` or `.test.ts` are tests of suites. */
const YAML_FILE = /(?<!\.test)\.ya?ml$/;
const MODULE_FILE = /(?<!\.d|\.test)\.[mc]?[jt]s$/;
const PACK_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
export const SUITE_FILE_BYTES_MAX = 1024 * 1024;

export async function loadSuites(references: readonly string[], options: LoadOptions): Promise<LoadedSuites> {
  const live = await loadAll(references, options);
  const candidates = await loadAll(options.shadows ?? [], options);
  const shadows = candidates.suites.map((suite): CompiledSuite => ({ ...suite, shadow: true }));
  const mistakes = [...live.mistakes, ...candidates.mistakes, ...otherScopes(live.suites, shadows)];
  return { suites: live.suites, shadows, mistakes };
}

async function loadAll(
  references: readonly string[],
  options: LoadOptions,
): Promise<{ readonly suites: readonly CompiledSuite[]; readonly mistakes: readonly Mistake[] }> {
  const mistakes: Mistake[] = [];
  const files = new Set<string>();
  for (const reference of references) {
    const found = await findFiles(reference, options);
    if (Array.isArray(found)) for (const file of found) files.add(file);
    else mistakes.push(found);
  }
  const suites: CompiledSuite[] = [];
  const handsOver = options.handOverTools === undefined ? handsOverByDefault : handsOverBy(options.handOverTools);
  const exporters = ledgerOf(options.exporters ?? []);
  const names: NonNullable<CompiledWithMistakes['named']>[] = [];
  for (const file of files) {
    for (const loaded of await loadFile(file, options)) {
      mistakes.push(...loaded.mistakes);
      if (loaded.suite !== undefined) suites.push({ ...loaded.suite, handsOver, exporters });
      if (loaded.named !== undefined) names.push(loaded.named);
      mistakes.push(...unknownJudges(loaded, options.judges ?? []));
    }
  }
  mistakes.push(...sharedNames(names));
  return { suites, mistakes };
}

/** The names of the built-in packs. */
export async function builtinPacks(builtinDir: string): Promise<readonly string[]> {
  const names = await readdir(builtinDir).catch(() => []);
  return names
    .filter((name) => YAML_FILE.test(name))
    .map((name) => name.replace(YAML_FILE, ''))
    .sort();
}

async function findFiles(reference: string, { baseDir, builtinDir }: LoadOptions): Promise<string[] | Mistake> {
  const packs = await builtinPacks(builtinDir);
  if (packs.includes(reference)) return [path.join(builtinDir, `${reference}.yaml`)];
  const file = path.resolve(baseDir, reference);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) {
    const names = (await readdir(file)).filter((name) => YAML_FILE.test(name) || MODULE_FILE.test(name)).sort();
    if (names.length > 0) return names.map((name) => path.join(file, name));
    return missing(reference, 'the folder holds no suites', 'files that end in .yaml, .yml, .ts or .js');
  }
  if (found?.isFile() === true) {
    if (YAML_FILE.test(file) || MODULE_FILE.test(file)) return [file];
    return missing(reference, 'this is no suite file', 'a file that ends in .yaml, .yml, .ts or .js');
  }
  if (!PACK_NAME.test(reference)) return missing(reference, `there is no file ${file}`, 'a file or folder of suites');
  const nearest = didYouMean(reference, packs);
  return missing(
    reference,
    `there is no built-in pack '${reference}', and no such file in ${baseDir}`,
    nearest === undefined ? `one of ${packs.join(', ')}, or a path` : `did you mean '${nearest}'?`,
  );
}

function missing(reference: string, problem: string, expected: string): Mistake {
  return { file: reference, line: undefined, column: undefined, path: '', problem, expected };
}

async function loadFile(file: string, options: LoadOptions): Promise<readonly CompiledWithMistakes[]> {
  const shown = shownAs(file, options);
  const { tools } = options;
  if (!YAML_FILE.test(file)) return await readSuiteModule(pathToFileURL(file), shown, tools);
  const files = goldenFilesIn(path.dirname(file), (found) => shownAs(found, options));
  try {
    const { size } = await stat(file);
    if (size > SUITE_FILE_BYTES_MAX) {
      const mistake = missing(shown, `the file has ${size} bytes`, `at most ${SUITE_FILE_BYTES_MAX}`);
      return [{ suite: undefined, mistakes: [mistake] }];
    }
    return [await withCertificates(readSuite(await readFile(file, 'utf8'), shown, { files, tools }), file, shown)];
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return [{ suite: undefined, mistakes: [missing(shown, problem, 'a file that can be read')] }];
  }
}

async function withCertificates(
  loaded: CompiledWithMistakes,
  file: string,
  shown: string,
): Promise<CompiledWithMistakes> {
  if (loaded.suite === undefined) return loaded;
  const found = await certificatesOf(loaded.suite, file);
  if (!('problem' in found)) return { ...loaded, suite: { ...loaded.suite, certificates: found } };
  const expected = 'the file that `assay learn --out` writes, or none';
  return { ...loaded, mistakes: [...loaded.mistakes, missing(certificateFile(shown), found.problem, expected)] };
}

function shownAs(file: string, { baseDir }: LoadOptions): string {
  const relative = path.relative(baseDir, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/** A suite about turns cannot be compared with one about conversations. */
function otherScopes(live: readonly CompiledSuite[], shadows: readonly CompiledSuite[]): readonly Mistake[] {
  return shadows.flatMap(({ name, scope, file, line }) => {
    const beside = live.find((suite) => suite.name === name);
    if (beside === undefined || beside.scope === scope) return [];
    const problem = `in shadow it is for ${scope}s, and the live suite '${name}' is for ${beside.scope}s`;
    const expected = `scope: ${beside.scope}, or another name`;
    return [{ file, line, column: undefined, path: 'scope', problem, expected }];
  });
}

/** Metrics and stored evaluations are kept by the name of the suite. */
function sharedNames(suites: readonly NonNullable<CompiledWithMistakes['named']>[]): Mistake[] {
  const firsts = new Map<string, NonNullable<CompiledWithMistakes['named']>>();
  return suites.flatMap((suite) => {
    const first = firsts.get(suite.name);
    if (first === undefined) {
      firsts.set(suite.name, suite);
      return [];
    }
    const places = `${placeOf(first)} and ${placeOf(suite)}`;
    const problem = `two suites have the name '${suite.name}': ${places}`;
    const expected = 'a name of its own for each suite';
    return [{ file: suite.file, line: suite.line, column: undefined, path: 'suite', problem, expected }];
  });
}

function placeOf({ file, line }: NonNullable<CompiledWithMistakes['named']>): string {
  return line === undefined ? file : `${file}:${line}`;
}
