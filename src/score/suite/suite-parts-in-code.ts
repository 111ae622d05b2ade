/**
 * Golden traces and tool policy of suites in TypeScript: the same blocks as in YAML, read when the module is loaded. Mistakes are
 * thrown, all together, and shown with the module that could not be loaded.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { formatMistakes, type Mistake } from '../../model/mistake.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import { formatPath, type Path } from '../../model/written-document.ts';
import { goldenFilesIn } from '../trajectory/golden-files.ts';
import type { GoldenLibrary } from '../trajectory/golden-library.ts';
import type { PolicyGuard } from '../trajectory/tool-policy.ts';
import { readLibrary, readPolicy } from '../yaml/read-trajectory.ts';
import {
  goldenShape,
  knownTrajectoryKeys,
  toolPolicyShape,
  type WrittenGolden,
  type WrittenToolPolicy,
} from '../yaml/trajectory-shape.ts';

export type { WrittenToolPolicy as ToolPolicyInCode } from '../yaml/trajectory-shape.ts';

export interface GoldenInCode extends WrittenGolden {
  /** Base of relative files: `import.meta.url`, or a folder. */
  readonly from: string;
}

export function goldenTraces({ from, ...written }: GoldenInCode): GoldenLibrary {
  const directory = from.startsWith('file:') ? path.dirname(fileURLToPath(from)) : path.resolve(from);
  return reading('golden', written, goldenShape, (shaped, mistake, add) =>
    readLibrary(shaped, goldenFilesIn(directory), mistake, add),
  );
}

export function toolPolicy(written: WrittenToolPolicy): PolicyGuard {
  return reading('tool_policy', written, toolPolicyShape, readPolicy);
}

type Report = (path: Path, problem: string, expected: string) => void;

function reading<W, P>(
  block: string,
  written: W,
  shape: z.ZodType<W>,
  read: (shaped: W, mistake: Report, add: (mistakes: readonly Mistake[]) => void) => P,
): P {
  const nowhere = { line: undefined, column: undefined };
  const mistakes: Mistake[] = [];
  const parsed = shape.safeParse(written);
  if (!parsed.success) {
    const origin = { file: block, placeOf: () => nowhere, placeOfKey: () => nowhere };
    mistakes.push(...shapeMistakes(parsed.error, origin, written, (at) => knownTrajectoryKeys([block, ...at])));
    throw new Error(formatMistakes(mistakes));
  }
  const part = read(
    parsed.data,
    (at, problem, expected) => mistakes.push({ file: block, ...nowhere, path: formatPath(at), problem, expected }),
    (more) => mistakes.push(...more),
  );
  if (mistakes.length > 0) throw new Error(formatMistakes(mistakes));
  return part;
}
