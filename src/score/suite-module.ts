/**
 * Suites from a TypeScript or JavaScript module: every export that `defineSuite` made. A module exports foreign
 * JavaScript, so its form is checked as that of YAML is.
 */
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { Mistake } from '../model/mistake.ts';
import { shapeMistakes } from '../model/shape-mistakes.ts';
import type { ToolNames } from '../model/tool-names.ts';
import type { Path, Place } from '../model/written-document.ts';
import { type CompiledWithMistakes, type CompileOptions, compileSuite } from './suite/compile-suite.ts';
import { type DefinedSuite, isDefinedSuite } from './define-suite.ts';
import { JUDGING, judgingShape } from './judge/judged-criterion.ts';
import { NEEDS } from './subject/needs.ts';
import { CRASH } from './suite/suite.ts';
import { NOT_APPLICABLE_HANDLINGS } from '../model/decision.ts';
import { ABOUTS } from '../model/evaluation.ts';
import { SCORED_OUTCOMES } from '../model/severity.ts';
import { knownTrajectoryKeys, toolsShape } from './yaml/trajectory-shape.ts';

const NOWHERE: Place = { line: undefined, column: undefined };
const fn = z.custom((value) => typeof value === 'function', 'a function');
/** Asked of what it can do: the suite may have been made by another copy of these modules. */
function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
const globs = z.union([z.string(), z.array(z.string())]);

const CRITERION = {
  name: z.string(),
  question: z.string(),
  weight: z.number(),
  check: fn.optional(),
  judge: judgingShape.optional(),
  needs: z.array(z.enum(NEEDS)).optional(),
  when: fn.optional(),
  whenNotApplicable: z.enum(NOT_APPLICABLE_HANDLINGS).optional(),
  critical: z.union([z.boolean(), z.enum(SCORED_OUTCOMES)]).optional(),
  failsAs: z
    .union([z.string(), z.array(z.strictObject({ kind: z.string(), ifPassed: z.string().optional() }))])
    .optional(),
  about: z.enum(ABOUTS).optional(),
};
const MATCH = {
  agent: globs.optional(),
  version: globs.optional(),
  environment: globs.optional(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  whyNot: fn.optional(),
};
const OUTCOME = { outcome: z.enum(SCORED_OUTCOMES), when: fn.optional(), because: z.string().optional() };
const SUITE = {
  name: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  scope: z.enum(['conversation', 'turn']),
  normalize: z.boolean().optional(),
  minDecided: z.number().optional(),
  about: z.enum(ABOUTS).optional(),
  hardFailureKeepsScore: z.boolean().optional(),
  crash: z.enum(CRASH).optional(),
  match: z.strictObject(MATCH).optional(),
  extract: z.record(z.string(), fn).optional(),
  completed: fn.optional(),
  failed: fn.optional(),
  criteria: z.array(z.strictObject(CRITERION)),
  outcomes: z.array(z.strictObject(OUTCOME)).optional(),
  golden: z.custom((value) => has(value, 'choose'), 'what goldenTraces gives').optional(),
  tools: toolsShape.optional(),
  toolPolicy: z.custom((value) => has(value, 'inspect'), 'what toolPolicy gives').optional(),
};
const suiteShape = z.strictObject(SUITE);

export async function readSuiteModule(
  url: URL,
  file: string,
  tools: ToolNames | undefined,
): Promise<readonly CompiledWithMistakes[]> {
  const refuse = (problem: string, expected: string): readonly CompiledWithMistakes[] => [
    { suite: undefined, mistakes: [{ file, ...NOWHERE, path: '', problem, expected }] satisfies Mistake[] },
  ];
  try {
    // A module is loaded once per address; the time of its last change makes a reload see the change.
    const { mtimeMs } = await stat(url);
    const loaded: unknown = await import(`${url.href}?changed=${mtimeMs}`);
    const suites = definedIn(loaded);
    const source = await readFile(url, 'utf8');
    return suites.length === 0
      ? refuse('the module exports no suite', '`export default defineSuite({ … })`')
      : suites.map((suite) => compileDefined(suite, file, { tools, source }));
  } catch (error) {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return refuse(`the module could not be loaded: ${problem}`, 'a module that loads');
  }
}

function definedIn(module: unknown): readonly DefinedSuite[] {
  if (typeof module !== 'object' || module === null) return [];
  const found = Object.values(module).flat().filter(isDefinedSuite);
  return [...new Set(found)];
}

function compileDefined(
  suite: DefinedSuite,
  file: string,
  options: Pick<CompileOptions, 'tools' | 'source'>,
): CompiledWithMistakes {
  const origin = { file, placeOf: () => NOWHERE, placeOfKey: () => NOWHERE };
  // Symbols, such as the mark of `defineSuite`, are not looked at.
  const shape = suiteShape.safeParse(suite);
  const form = shape.success ? [] : shapeMistakes(shape.error, origin, suite, knownKeys);
  const mistakes = [...form, ...answeringMistakes(suite, file)];
  if (mistakes.length > 0) return { suite: undefined, mistakes };
  return compileSuite(suite, origin, options);
}

/** Looked at beside the form, which a mistake elsewhere in the criterion would hide this behind. */
function answeringMistakes({ criteria }: { readonly criteria: unknown }, file: string): readonly Mistake[] {
  const written: readonly unknown[] = Array.isArray(criteria) ? criteria : [];
  return written.flatMap((criterion, index) => {
    if (typeof criterion !== 'object' || criterion === null) return [];
    const checked = Reflect.get(criterion, 'check') !== undefined;
    const judged = Reflect.get(criterion, 'judge') !== undefined;
    if (checked !== judged) return [];
    const problem = checked ? 'there are both `check` and `judge`' : 'nothing says how it is answered';
    return [{ file, ...NOWHERE, path: `criteria[${index}]`, problem, expected: '`check` or `judge`' }];
  });
}

function knownKeys(path: Path): readonly string[] {
  if (path[0] === 'criteria') return Object.keys(path.at(-1) === 'judge' ? JUDGING : CRITERION);
  if (path[0] === 'outcomes') return Object.keys(OUTCOME);
  if (path[0] === 'tools') return knownTrajectoryKeys(path);
  return Object.keys(path[0] === 'match' ? MATCH : SUITE);
}
