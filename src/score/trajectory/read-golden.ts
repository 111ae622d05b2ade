/**
 * Golden traces from YAML: one mapping, or a list of them, per file. All mistakes are found, each with its line.
 *
 *     id: gt_001
 *     input: Show me the last 3 support tickets for account ACC-4821
 *     steps:
 *       - tool: search_tickets
 *         args: { account_id: ACC-4821, limit: 3 }
 *         observation: list
 *       - tool: get_ticket_detail
 *         args: { ticket_id: TKT-* }
 *         required: false
 *     output: { contains: [ACC-4821, ticket] }
 *     max_steps: 5
 *
 * Steps come one after the other, unless they stand together under `unordered`, or say what they come `after`.
 */
import { z } from 'zod';
import { didYouMean } from '../../model/did-you-mean.ts';
import { compileGlob } from '../../model/glob.ts';
import type { Mistake } from '../../model/mistake.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import { formatPath, type Path, readWrittenDocument, type WrittenDocument } from '../../model/written-document.ts';
import { patternMistake } from '../cel/linear-regex.ts';
import {
  expectedOrder,
  type ExpectedStep,
  type GoldenTrace,
  MATCH_MODES,
  OBSERVATIONS,
  OUTPUT_PLACES,
  STEPS_MAX,
} from './golden-trace.ts';
import { readArguments, type ReportMistake, SharedArguments } from './read-arguments.ts';

const texts = z.array(z.string());
const count = z.int('a whole number').min(0, 'at least 0');

const STEP = {
  id: z.string().optional(),
  tool: z.string().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  ignore: texts.optional(),
  critical: texts.optional(),
  observation: z.enum(OBSERVATIONS).optional(),
  required: z.boolean().optional(),
  weight: z.number().optional(),
  writes: z.boolean().optional(),
  after: z.union([z.string(), texts]).optional(),
};
const step = z.strictObject(STEP);
const stepOrGroup = z.strictObject({ ...STEP, unordered: z.array(step).optional() });
const OUTPUT = { in: z.enum(OUTPUT_PLACES).optional(), contains: texts.optional(), matches: texts.optional() };
const TRACE = {
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dots, - and _'),
  description: z.string().optional(),
  status: z.enum(['draft', 'approved']).optional(),
  input: z.string(),
  scenario: z.string().optional(),
  mode: z.enum(MATCH_MODES).optional(),
  steps: z.array(stepOrGroup),
  output: z.strictObject(OUTPUT).optional(),
  max_steps: count.optional(),
  max_tokens: count.optional(),
  tags: texts.optional(),
};
const traceShape = z.strictObject(TRACE);
type WrittenTrace = z.output<typeof traceShape>;
type WrittenStep = z.output<typeof step>;

interface ReadGolden {
  /** Traces without a mistake. */
  readonly traces: readonly GoldenTrace[];
  readonly mistakes: readonly Mistake[];
}

export function readGolden(text: string, file: string): ReadGolden {
  const document = readWrittenDocument(text, file);
  if (document.mistakes.length > 0) return { traces: [], mistakes: document.mistakes };
  const isList = Array.isArray(document.value);
  // The cast holds: it is a list, of whatever.
  const written = isList ? (document.value as readonly unknown[]) : [document.value];
  const read = written.map((value, index) => readTrace(value, isList ? [index] : [], document));
  return {
    traces: read.flatMap(({ trace }) => (trace === undefined ? [] : [trace])),
    mistakes: read.flatMap(({ mistakes }) => mistakes),
  };
}

interface ReadTrace {
  readonly trace: GoldenTrace | undefined;
  readonly mistakes: readonly Mistake[];
}

function readTrace(value: unknown, path: Path, document: WrittenDocument): ReadTrace {
  const { file } = document;
  const origin = {
    file,
    placeOf: (inner: Path) => document.placeOf([...path, ...inner]),
    placeOfKey: (inner: Path) => document.placeOfKey([...path, ...inner]),
  };
  const parsed = traceShape.safeParse(value);
  if (!parsed.success) {
    return { trace: undefined, mistakes: shapeMistakes(parsed.error, origin, value, knownKeys) };
  }
  const mistakes: Mistake[] = [];
  const mistake: ReportMistake = (inner, problem, expected, offset) => {
    const at = [...path, ...inner];
    const place = offset === undefined ? document.placeOf(at) : document.placeInText(at, offset);
    mistakes.push({ file, ...place, path: formatPath(at), problem, expected });
  };
  const written = parsed.data;
  const steps = readSteps(written, mistake);
  for (const [index, pattern] of (written.output?.matches ?? []).entries()) {
    const problem = patternMistake(pattern);
    if (problem !== undefined) mistake(['output', 'matches', index], problem, 'a pattern in RE2 syntax');
  }
  if (mistakes.length > 0) {
    return { trace: undefined, mistakes: mistakes.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  }
  const mode = written.mode ?? 'in_order';
  const trace: GoldenTrace = {
    id: written.id,
    description: written.description ?? '',
    input: written.input,
    scenario: written.scenario ?? written.id,
    mode,
    steps,
    order: expectedOrder(steps, mode),
    output: {
      in: written.output?.in ?? 'last_answer',
      contains: written.output?.contains ?? [],
      matches: written.output?.matches ?? [],
    },
    maxSteps: written.max_steps,
    maxTokens: written.max_tokens,
    tags: written.tags ?? [],
    draft: written.status === 'draft',
    file,
    line: document.placeOf(path).line,
  };
  return { trace, mistakes };
}

interface Placed {
  readonly written: WrittenStep;
  readonly path: Path;
  /** How many steps are listed before all that this one stands together with. */
  readonly before: number;
}

function readSteps({ steps }: WrittenTrace, mistake: ReportMistake): readonly ExpectedStep[] {
  const placed: Placed[] = [];
  steps.forEach((entry, index) => {
    const path: Path = ['steps', index];
    const { unordered, ...written } = entry;
    if (unordered === undefined) {
      placed.push({ written, path, before: placed.length });
      return;
    }
    if (Object.keys(written).length > 0) {
      mistake(path, '`unordered` stands beside other fields', 'a list entry with `unordered` alone');
    }
    if (unordered.length === 0) mistake([...path, 'unordered'], 'there are no steps in it', 'at least one');
    const before = placed.length;
    unordered.forEach((member, at) => {
      placed.push({ written: member, path: [...path, 'unordered', at], before });
    });
  });
  if (placed.length > STEPS_MAX) mistake(['steps'], `there are ${placed.length} steps`, `at most ${STEPS_MAX}`);
  const places = new Map<string, number>();
  const shared = new SharedArguments();
  const read: ExpectedStep[] = [];
  for (const [index, { written, path, before }] of placed.entries()) {
    const after = predecessors(written, { path, before, places, read }, mistake);
    read.push(readStep(written, { path, index, after, shared }, mistake));
    if (written.id === undefined) continue;
    if (places.has(written.id)) mistake([...path, 'id'], `'${written.id}' is the id of another step too`, 'its own');
    places.set(written.id, index);
  }
  return read;
}

interface StepPlace {
  readonly path: Path;
  readonly index: number;
  readonly after: ReadonlySet<number>;
  readonly shared: SharedArguments;
}

function readStep(
  { tool, args, ignore, critical, observation, required, weight, writes }: WrittenStep,
  { path, index, after, shared }: StepPlace,
  mistake: ReportMistake,
): ExpectedStep {
  if (tool === undefined || tool === '') mistake(path, 'the step names no tool', 'a `tool`: a name or a glob');
  if (args === undefined && critical !== undefined) {
    mistake([...path, 'critical'], '`critical` names arguments, and there are no `args`', 'arguments to look at');
  }
  const halves = weight === undefined ? undefined : weight * 2;
  if (halves !== undefined && (!Number.isInteger(halves) || halves < 1 || halves > 20)) {
    mistake([...path, 'weight'], `${weight} is not a valid weight`, 'from 0.5 to 10, in steps of a half');
  }
  return {
    number: index + 1,
    tool: tool ?? '',
    isGlob: /[*?]/.test(tool ?? ''),
    isTool: compileGlob(tool ?? ''),
    args:
      args === undefined
        ? undefined
        : readArguments({ args, ignore, critical }, { path, argsKey: 'args', mistake, shared }),
    observation,
    required: required ?? true,
    halves,
    writes,
    after,
  };
}

/** All that come before a step: by its place in the list, or what it names and what that comes after. */
function predecessors(
  { after }: WrittenStep,
  known: {
    readonly path: Path;
    readonly before: number;
    readonly places: ReadonlyMap<string, number>;
    readonly read: readonly ExpectedStep[];
  },
  mistake: ReportMistake,
): ReadonlySet<number> {
  const found = new Set<number>();
  if (after === undefined) {
    for (let place = 0; place < known.before; place += 1) found.add(place);
    return found;
  }
  for (const name of typeof after === 'string' ? [after] : after) {
    const place = known.places.get(name);
    if (place === undefined) {
      const nearest = didYouMean(name, known.places.keys());
      const expected = nearest === undefined ? 'the `id` of a step above this one' : `did you mean '${nearest}'?`;
      mistake([...known.path, 'after'], `no step above has the id '${name}'`, expected);
      continue;
    }
    found.add(place);
    for (const earlier of known.read[place]?.after ?? []) found.add(earlier);
  }
  return found;
}

function knownKeys(path: Path): readonly string[] {
  if (path.includes('unordered')) return Object.keys(STEP);
  if (path.includes('steps')) return [...Object.keys(STEP), 'unordered'];
  return Object.keys(path.includes('output') ? OUTPUT : TRACE);
}
