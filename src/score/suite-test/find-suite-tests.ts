/**
 * Finds the files of tests for a reference: such a file, a suite that has one beside it, a folder, or a built-in pack.
 * A file of tests is for the suite that it names, or the one beside it.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const TEST_FILE = /\.test\.ya?ml$/;
const TEST_ENDINGS = ['.test.yaml', '.test.yml'];
const SUITE_FILE = /(?<!\.d|\.test)\.(ya?ml|[mc]?[jt]s)$/;
const SUITE_ENDINGS = ['.yaml', '.yml', '.ts', '.mts', '.js', '.mjs'];

interface FoundTests {
  /** Paths of files of tests. */
  readonly files: readonly string[];
  /** Suites that were named and have none beside them. */
  readonly untested: readonly string[];
  /** References that lead nowhere. */
  readonly missing: readonly string[];
}

export function findSuiteTests(
  references: readonly string[],
  { baseDir, builtinDir }: { readonly baseDir: string; readonly builtinDir: string },
): FoundTests {
  const files = new Set<string>();
  const untested: string[] = [];
  const missing: string[] = [];
  for (const reference of references) {
    const pack = path.join(builtinDir, `${reference}.yaml`);
    const place = /^[\w-]+$/.test(reference) && existsSync(pack) ? pack : path.resolve(baseDir, reference);
    const found = statSync(place, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) {
      const inside = readdirSync(place).filter((name) => TEST_FILE.test(name));
      if (inside.length === 0) untested.push(reference);
      for (const name of inside.sort()) files.add(path.join(place, name));
    } else if (found === undefined || !(TEST_FILE.test(place) || SUITE_FILE.test(place))) missing.push(reference);
    else if (TEST_FILE.test(place)) files.add(place);
    else {
      const [beside] = besideIt(place.replace(SUITE_FILE, ''), TEST_ENDINGS);
      if (beside === undefined) untested.push(reference);
      else files.add(beside);
    }
  }
  return { files: [...files], untested, missing };
}

/** Suites of the same name beside the tests. */
export function suitesBeside(testFile: string): readonly string[] {
  return besideIt(testFile.replace(TEST_FILE, ''), SUITE_ENDINGS);
}

function besideIt(stem: string, endings: readonly string[]): readonly string[] {
  return endings.map((ending) => `${stem}${ending}`).filter((file) => existsSync(file));
}
