/**
 * Truth from files: YAML or JSON (`id: truth`, or a list of `{id, truth}`), or JSON lines of `{id, truth}`. The
 * settings define what the id names: a conversation, a scenario, or the value of an attribute. `conversation_id` is
 * another name of `id` where it names a conversation, as results and exports have it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Conversation } from '../model/conversation.ts';
import { counted } from '../model/counted.ts';
import type { Json } from '../model/json.ts';
import { taskTruthRemark } from '../score/expected/enough-truth.ts';
import { taskTruthMistake, whyNoTruth } from '../score/expected/expected-actions.ts';
import { formatMistakes, type Mistake } from '../model/mistake.ts';
import type { TruthFile } from '../model/truth.ts';
import { formatPath, type Path, readWrittenDocument, type WrittenDocument } from '../model/written-document.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { readsTaskTruth } from './suite-outline.ts';
import type { WrittenTruth } from './truths.ts';

interface Index {
  readonly by: TruthFile['by'];
  readonly truths: ReadonlyMap<string, Json>;
}

interface ReadTruth {
  /** Undefined where there are no files. */
  readonly truth: WrittenTruth | undefined;
  readonly mistakes: readonly Mistake[];
  /** Truths that `task-success` would not read, where no suite reads them, and truths that show no success: a sentence for each file. */
  readonly remarks: readonly string[];
}

/** The suites decide whether a truth of a task that is not well formed is a mistake, or only worth a remark. */
export function readTruthFiles(
  files: readonly TruthFile[],
  suites: readonly Pick<CompiledSuite, 'name' | 'criteria' | 'truthKeys'>[] = [],
): ReadTruth {
  const mistakes: Mistake[] = [];
  const remarks: string[] = [];
  if (files.length === 0) return { truth: undefined, mistakes, remarks };
  const reader = suites.find(readsTaskTruth);
  const indexes = files.map((file): Index => {
    const truths = new Map<string, Json>();
    const unread: string[] = [];
    const weak: string[] = [];
    for (const { id, truth, mistake } of readEntries(file, mistakes)) {
      const unusable = whyNoTruth(truth);
      if (unusable !== undefined) mistakes.push(mistake(unusable.problem, unusable.expected));
      const ofTask = taskTruthMistake(truth);
      if (ofTask !== undefined && reader !== undefined)
        mistakes.push(mistake(ofTask.problem, `${ofTask.expected}, for suite ${reader.name}`));
      else if (ofTask !== undefined) unread.push(`'${id}': ${ofTask.problem}: expected ${ofTask.expected}`);
      const remark = ofTask === undefined && reader !== undefined ? taskTruthRemark(truth, reader) : undefined;
      if (remark !== undefined) weak.push(`'${id}': ${remark}`);
      if (truths.has(id)) mistakes.push(mistake(`'${id}' is there twice`, 'each id once'));
      else truths.set(id, truth);
    }
    const shown = path.relative(process.cwd(), file.path);
    const [first] = unread;
    if (first !== undefined) {
      const others = unread.length === 1 ? '' : `; nor ${unread.length - 1} more`;
      remarks.push(`${shown}: task-success would not read ${first}${others}`);
    }
    const [firstWeak] = weak;
    if (firstWeak !== undefined)
      remarks.push(`${shown}: ${counted(weak.length, 'truth')} cannot show a success, such as ${firstWeak}`);
    return { by: file.by, truths };
  });
  return { truth: { find: (conversation) => found(indexes, conversation) }, mistakes, remarks };
}

/** For a thread that was started after the files had been checked. */
export function checkedTruth(files: readonly TruthFile[]): WrittenTruth | undefined {
  const { truth, mistakes } = readTruthFiles(files);
  if (mistakes.length > 0)
    throw new Error(`the files of truth changed while Assay was starting: ${formatMistakes(mistakes)}`);
  return truth;
}

function found(indexes: readonly Index[], conversation: Conversation): readonly Json[] {
  return indexes.flatMap(({ by, truths }) => {
    const id = by === 'conversation' ? conversation.id : conversation.attributes.get(by.attribute);
    const truth = id === undefined ? undefined : truths.get(String(id));
    return truth === undefined ? [] : [truth];
  });
}

interface Entry {
  readonly id: string;
  readonly truth: Json;
  readonly mistake: (problem: string, expected: string) => Mistake;
}

const EXPECTED = 'a mapping `id: truth`, a list of `{id, truth}`, or JSON lines of such';
const IDS = ['id', 'conversation_id'] as const;

function* readEntries({ path: file, by }: TruthFile, mistakes: Mistake[]): Generator<Entry> {
  const shown = path.relative(process.cwd(), file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    mistakes.push({
      file: shown,
      line: undefined,
      column: undefined,
      path: '',
      problem,
      expected: 'a file that can be read',
    });
    return;
  }
  if (!/\.(jsonl|ndjson)$/.test(file)) {
    yield* entriesOf(readWrittenDocument(text, shown), by, mistakes);
    return;
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    // A line of JSON is YAML; only that its own line numbers are of no use.
    const document = readWrittenDocument(line, shown);
    const place = () => ({ line: index + 1, column: undefined });
    const placed = { ...document, placeOf: place, placeOfKey: place };
    const mistakesThere = document.mistakes.map((mistake) => ({ ...mistake, line: index + 1 }));
    const value: unknown = document.value === undefined ? undefined : [document.value];
    yield* entriesOf({ ...placed, value, mistakes: mistakesThere }, by, mistakes);
  }
}

function* entriesOf(document: WrittenDocument, by: TruthFile['by'], mistakes: Mistake[]): Generator<Entry> {
  mistakes.push(...document.mistakes);
  if (document.mistakes.length > 0 || document.value === null) return;
  const mistakeAt = (where: Path) => (problem: string, expected: string) => ({
    file: document.file,
    ...document.placeOf(where),
    path: formatPath(where),
    problem,
    expected,
  });
  const { value } = document;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const mistake = mistakeAt([index]);
      const named = entryIn(item, by);
      if (typeof named === 'string') mistakes.push(mistake(named, '{id: ..., truth: ...}'));
      else yield { ...named, mistake };
    }
  } else if (typeof value === 'object' && value !== null) {
    // The cast holds because the document was read from YAML.
    for (const [id, truth] of Object.entries(value as { readonly [id: string]: Json }))
      yield { id, truth, mistake: mistakeAt([id]) };
  } else mistakes.push(mistakeAt([])('the file holds no truths', EXPECTED));
}

/** A text says what is wrong with it. */
function entryIn(value: unknown, by: TruthFile['by']): Pick<Entry, 'id' | 'truth'> | string {
  if (typeof value !== 'object' || value === null || !('truth' in value))
    return 'this has not both an `id` and a `truth`';
  // The cast holds: what is no id is refused, and the truth was read from YAML.
  const entry = value as { readonly truth: Json; readonly [key: string]: unknown };
  const given = IDS.filter((key) => Object.hasOwn(entry, key));
  const [key] = given;
  if (key === undefined) return 'this has not both an `id` and a `truth`';
  if (given.length > 1) return 'this has both an `id` and a `conversation_id`';
  if (key === 'conversation_id' && by !== 'conversation')
    return 'this names a conversation, and the file is by an attribute';
  const id = entry[key];
  if (typeof id !== 'string' && typeof id !== 'number') return `its \`${key}\` is neither a text nor a number`;
  return { id: String(id), truth: entry.truth };
}
