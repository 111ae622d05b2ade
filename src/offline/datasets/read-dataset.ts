/**
 * Reads a dataset: YAML, or JSON lines with a case a line. It is checked whole, and every mistake has its line.
 *
 *     dataset: scheduling
 *     version: '1'
 *     cases:
 *       - id: free-slot-1
 *         input: Please book 30 minutes with Ana and Ben
 *         truth: { participants: [Ana, Ben] }
 *         tags: [smoke]
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../assemble/turns/canonical-json.ts';
import { counted } from '../../model/counted.ts';
import type { CaseOrigin, Dataset, DatasetCase } from '../../model/dataset.ts';
import type { Json } from '../../model/json.ts';
import type { Mistake } from '../../model/mistake.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import { parseExactly } from '../../model/exact-json.ts';
import { taskTruthRemark } from '../../score/expected/enough-truth.ts';
import { taskTruthMistake, whyNoTruth } from '../../score/expected/expected-actions.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { readsTaskTruth } from '../../engine/suite-outline.ts';
import { formatPath, type Path, type Place, readWrittenDocument } from '../../model/written-document.ts';
import { whyUnreadable } from '../../model/why-unreadable.ts';

interface ReadDataset {
  /** Undefined where there are mistakes. */
  readonly dataset: Dataset | undefined;
  readonly mistakes: readonly Mistake[];
}

const LINES = /\.(jsonl|ndjson)$/;

export function readDataset(file: string): ReadDataset {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const problem = whyUnreadable(error);
    const mistake = { file, line: undefined, column: undefined, path: '', problem };
    return { dataset: undefined, mistakes: [{ ...mistake, expected: 'a file that can be read' }] };
  }
  const written = LINES.test(file) ? readLines(text, file) : readDocument(text, file);
  const mistakes = [...written.mistakes];
  const cases: DatasetCase[] = [];
  const lines = new Map<string, number | undefined>();
  for (const one of written.cases) {
    const found = readCase(one, file);
    mistakes.push(...found.mistakes);
    if (found.case === undefined) continue;
    const { id, line } = found.case;
    const isKnown = lines.has(id);
    if (isKnown)
      mistakes.push(
        mistakeAt(one, file, ['id'], `'${id}' is the id of the case in line ${lines.get(id)} too`, 'an id of its own'),
      );
    lines.set(id, line);
    cases.push(found.case);
  }
  if (mistakes.length > 0)
    return { dataset: undefined, mistakes: mistakes.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  const { name, version } = written;
  return { dataset: { name, version, file, fingerprint: fingerprintOf(cases), cases }, mistakes };
}

/** Truths that a suite with the checks of `task-success` cannot read: to be found before an agent is run for them. */
export function taskTruthMistakes(
  { cases, file }: Pick<Dataset, 'cases' | 'file'>,
  suites: readonly Pick<CompiledSuite, 'criteria'>[],
): readonly Mistake[] {
  if (!suites.some(readsTaskTruth)) return [];
  return cases.flatMap(({ id, truth, line }) => {
    const mistake = truth === undefined ? undefined : taskTruthMistake(truth);
    return mistake === undefined ? [] : [{ file, line, column: undefined, path: `case '${id}'`, ...mistake }];
  });
}

/** A sentence about the cases of which no success can be shown, because of their truth. */
export function weakTruthsRemark(
  { cases, file }: Pick<Dataset, 'cases' | 'file'>,
  suites: readonly Pick<CompiledSuite, 'criteria' | 'truthKeys'>[],
): string | undefined {
  const reader = suites.find(readsTaskTruth);
  if (reader === undefined) return undefined;
  const weak = cases.flatMap(({ id, truth }) => {
    const because = truth === undefined ? undefined : taskTruthRemark(truth, reader);
    return because === undefined ? [] : [`case '${id}': ${because}`];
  });
  const [first] = weak;
  return first && `${file}: the truth of ${counted(weak.length, 'case')} cannot show a success, such as ${first}`;
}

/** A case as it was written, and where. */
interface WrittenCase {
  readonly value: unknown;
  /** Position of the case in the document. */
  readonly path: Path;
  placeOf(path: Path): Place;
  placeOfKey(path: Path): Place;
}

interface Written {
  readonly name: string;
  readonly version: string;
  readonly cases: readonly WrittenCase[];
  readonly mistakes: readonly Mistake[];
}

const CASES_EXPECTED = 'at least one case';

function readLines(text: string, file: string): Written {
  const cases: WrittenCase[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const place = { line: index + 1, column: undefined };
    try {
      const value = parseExactly(written);
      cases.push({ value, path: [], placeOf: () => place, placeOfKey: () => place });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      mistakes.push({ file, ...place, path: '', problem, expected: 'one case as JSON, on one line' });
    }
  }
  if (cases.length === 0 && mistakes.length === 0)
    mistakes.push({
      file,
      line: 1,
      column: undefined,
      path: '',
      problem: 'the file is empty',
      expected: CASES_EXPECTED,
    });
  const name = path
    .basename(file)
    .replace(LINES, '')
    .replace(/\.cases$/, '');
  return { name, version: '1', cases, mistakes };
}

function readDocument(text: string, file: string): Written {
  const document = readWrittenDocument(text, file);
  if (document.mistakes.length > 0) return { name: '', version: '', cases: [], mistakes: document.mistakes };
  const parsed = documentShape.safeParse(document.value);
  // Mistakes elsewhere are no reason not to look at the cases.
  const { cases } = lenientDocument.parse(document.value);
  return {
    name: parsed.data?.dataset ?? '',
    version: parsed.data?.version ?? '',
    mistakes: parsed.success ? [] : shapeMistakes(parsed.error, document, document.value, () => Object.keys(DOCUMENT)),
    cases: cases.map((value, index) => ({
      value,
      path: ['cases', index],
      placeOf: (inner) => document.placeOf(['cases', index, ...inner]),
      placeOfKey: (inner) => document.placeOfKey(['cases', index, ...inner]),
    })),
  };
}

function readCase(
  written: WrittenCase,
  file: string,
): { readonly case: DatasetCase | undefined; readonly mistakes: readonly Mistake[] } {
  const parsed = caseShape.safeParse(written.value);
  if (!parsed.success) {
    const found = shapeMistakes(parsed.error, { file, ...written }, written.value, knownKeys);
    return {
      case: undefined,
      mistakes: found.map((mistake) => ({ ...mistake, path: within(written.path, mistake.path) })),
    };
  }
  const mistakes: Mistake[] = [];
  const mistake = (where: Path, problem: string, expected: string) =>
    mistakes.push(mistakeAt(written, file, where, problem, expected));
  const { id, turns, golden, tags, from } = parsed.data;
  // `input:` without a value counts as absent.
  const input = parsed.data.input ?? undefined;
  const truth = parsed.data.truth ?? undefined;
  if (input === undefined && turns === undefined) mistake([], 'it has no input', 'an `input`, or `turns`');
  if (input !== undefined && turns !== undefined)
    mistake(['turns'], 'it has an input as well', 'either `input` or `turns`');
  if (golden !== undefined && truth !== undefined) {
    if (!isMapping(truth))
      mistake(
        ['golden'],
        'a golden trace is named in the truth, and that is no mapping',
        'a truth with fields, or none',
      );
    else if (Object.hasOwn(truth, 'golden') && truth.golden !== golden)
      mistake(['golden'], 'its truth names another golden trace', 'one of the two');
  }
  const unusable = truth === undefined ? undefined : whyNoTruth(truth);
  if (unusable !== undefined) mistake(['truth', 'outputs'], unusable.problem, unusable.expected);
  if (mistakes.length > 0) return { case: undefined, mistakes };
  const said = turns ?? (input === undefined ? [] : [input]);
  const fingerprint = caseFingerprint({ turns: said, truth, golden });
  const { line } = written.placeOf([]);
  return {
    case: { id, turns: said, truth, golden, tags: tags ?? [], fingerprint, from: toOrigin(from), line },
    mistakes,
  };
}

function mistakeAt(written: WrittenCase, file: string, where: Path, problem: string, expected: string): Mistake {
  return { file, ...written.placeOf(where), path: formatPath([...written.path, ...where]), problem, expected };
}

function within(outer: Path, inner: string): string {
  const path = formatPath(outer);
  if (path === '' || inner === '') return `${path}${inner}`;
  return inner.startsWith('[') ? `${path}${inner}` : `${path}.${inner}`;
}

/** A case that was changed has another one, whatever it is called. */
export function caseFingerprint({ turns, truth, golden }: Pick<DatasetCase, 'turns' | 'truth' | 'golden'>): string {
  return sha256({ turns, truth, golden });
}

/** Fingerprint that does not depend on the order of the cases, or of the keys in them. */
export function fingerprintOf(cases: readonly Pick<DatasetCase, 'id' | 'fingerprint'>[]): string {
  return sha256(cases.map(({ id, fingerprint }) => [id, fingerprint]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}

function sha256(value: unknown): string {
  // The cast holds: it is made of what was checked to be JSON, and members that are undefined are left out.
  return hash('sha256', canonicalJson(value as Json));
}

function isMapping(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'object' && Object.values(value).every(isJson);
}

function toOrigin(from: z.output<typeof originShape> | undefined): CaseOrigin | undefined {
  if (from === undefined) return undefined;
  const { conversation, agent, agent_version: agentVersion, recorded_at: recordedAt, outcomes } = from;
  return { conversation, agent, agentVersion, recordedAt, outcomes };
}

/** YAML reads `version: 2` and `id: 7` as numbers; a person means the text. */
const textOrNumber = (expected: string) =>
  z.union([z.string().min(1, expected), z.number()], expected).transform(String);
const ID_MAX = 256;
const json = z.custom<Json>(isJson, 'what JSON has: texts, finite numbers, true, false, null, lists and mappings');
const ORIGIN = {
  conversation: z.string(),
  agent: z.string(),
  agent_version: z.string(),
  recorded_at: z.string(),
  outcomes: z.record(z.string(), z.string()),
};
const originShape = z.strictObject(ORIGIN);
const CASE = {
  id: textOrNumber('a text that is not empty').refine((id) => id.length <= ID_MAX, `at most ${ID_MAX} characters`),
  input: json.optional(),
  turns: z.array(json).min(1, 'at least one turn').optional(),
  truth: json.optional(),
  golden: z.string().min(1, 'the id of a golden trace').optional(),
  tags: z.array(z.string()).optional(),
  from: originShape.optional(),
};
const caseShape = z.strictObject(CASE);
const DOCUMENT = {
  dataset: z.string().min(1, 'a name'),
  version: textOrNumber('a text that is not empty').default('1'),
  cases: z.array(z.unknown()).min(1, CASES_EXPECTED),
};
const documentShape = z.strictObject(DOCUMENT);
const lenientDocument = z.object({ cases: z.array(z.unknown()).catch([]) }).catch({ cases: [] });

function knownKeys(where: Path): readonly string[] {
  return Object.keys(where[0] === 'from' ? ORIGIN : CASE);
}
