/** Files of ground truth, and how conversations are found in them. */
import path from 'node:path';
import { z } from 'zod';
import { SCENARIO_ATTRIBUTE } from '../model/marks.ts';
import type { TruthFile } from '../model/truth.ts';
import { mapping } from './mapping.ts';
import { section } from './section.ts';
import { setting, text } from './setting.ts';

const FILES_MAX = 100;

const FILE = {
  path: text({ key: 'path', required: true, example: 'truth.yaml', rare: true }, 'Relative to this file.'),
  by: text(
    { key: 'by', default: 'conversation', example: 'scenario', rare: true },
    `How a conversation is found: conversation, scenario (${SCENARIO_ATTRIBUTE}) or the key of an attribute.`,
  ),
};

/** In the order in which later ones override earlier ones. */
export const TRUTH = section('reload', 'Ground truth, where it is known beforehand (suites.md).', {
  files: setting(
    { key: 'truth.files', default: [], rare: true },
    'Files of ground truth; later ones override earlier ones.',
    z
      .array(mapping(FILE), 'a list of files: [{path: truth.yaml, by: scenario}]')
      .max(FILES_MAX, `at most ${FILES_MAX} files`),
    FILE,
  ),
}).build(({ files }, { places }): readonly TruthFile[] =>
  files.map(({ path: file, by }) => ({ path: path.resolve(places.baseDir, file), by: foundBy(by) })),
);

function foundBy(by: string): TruthFile['by'] {
  if (by === 'conversation') return by;
  return { attribute: by === 'scenario' ? SCENARIO_ATTRIBUTE : by };
}
