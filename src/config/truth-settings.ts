/** Files in which it is written what is right for conversations, and what they are found by. */
import path from 'node:path';
import { z } from 'zod';
import type { TruthFile } from '../model/truth.ts';
import type { Sources } from './sources.ts';

const FILES_MAX = 100;
export const SCENARIO_ATTRIBUTE = 'assay.scenario.id';

export function readTruthSettings(sources: Sources, baseDir: string): readonly TruthFile[] {
  return sources.read({ key: 'truth.files' }, fileList, []).value.map(({ path: file, by }) => ({
    path: path.resolve(baseDir, file),
    by:
      by === 'scenario'
        ? { attribute: SCENARIO_ATTRIBUTE }
        : by === 'conversation'
          ? 'conversation'
          : { attribute: by },
  }));
}

const someText = z.string('a text').min(1, 'a text that is not empty');
const fileSchema = z.strictObject({
  path: someText,
  // Or the key of an attribute.
  by: someText.default('conversation'),
});
const fileList: z.ZodType<readonly z.output<typeof fileSchema>[]> = z
  .array(fileSchema, 'a list of files: [{path: truth.yaml, by: scenario}]')
  .max(FILES_MAX, `at most ${FILES_MAX} files`);
