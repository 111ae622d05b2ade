/** The change of a suite's file that gives it other weights, as a diff, or why there is none. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolNames } from '../../model/tool-names.ts';
import { goldenFilesIn } from '../../score/trajectory/golden-files.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { reweighingDiff } from '../../score/suite/reweigh-file.ts';
import type { WhatIf } from '../../api/what-if.ts';

interface SuitesFolder {
  readonly baseDir: string;
  readonly builtinDir: string;
  readonly tools: ToolNames | undefined;
}

export async function suiteChange(
  before: CompiledSuite,
  after: CompiledSuite,
  { baseDir, builtinDir, tools }: SuitesFolder,
): Promise<Pick<WhatIf, 'yaml' | 'is_diff'>> {
  const file = path.resolve(baseDir, before.file);
  if (!/\.ya?ml$/.test(file))
    return { yaml: `the suite ${before.name} is code, so its weights are changed there`, is_diff: false };
  const isBuiltIn = path.dirname(file) === builtinDir;
  const folder = path.relative(baseDir, file);
  // A file outside the folder of the configuration is shown without its folder, which is not for clients.
  const shown = isBuiltIn || folder.startsWith('..') || path.isAbsolute(folder) ? path.basename(file) : folder;
  const written = reweighingDiff(await readFile(file, 'utf8'), after, {
    file: shown.replaceAll(path.sep, '/'),
    before,
    files: goldenFilesIn(path.dirname(file)),
    tools,
  });
  if ('whyNot' in written) return { yaml: `there is no diff, because ${written.whyNot}`, is_diff: false };
  if (!isBuiltIn || written.diff === '') return { yaml: written.diff, is_diff: true };
  // Lines before the first header are no part of a diff, and are passed over where it is applied.
  const hint = `The pack ${before.name} is built in: copy suites/${shown} of Assay to ${shown}, apply this to it, and name ./${shown} in suites.`;
  return { yaml: `${hint}\n${written.diff}`, is_diff: true };
}
