/**
 * Annotations of conversations that other tools export, as readings. A person's annotation is a reading by a person; one
 * by a model or a program is that of an agent. The user chooses the name that says whether a conversation went well:
 * a helpfulness of 4 says it of nothing.
 */
import type { Mistake } from '../model/mistake.ts';
import { tryParseTraceId } from '../model/ids.ts';
import { type WrittenReading, withoutContradictions } from '../model/readings.ts';
import { type Entry, isRecord, readList, wholeMistake } from '../offline/list-file.ts';
import { firstOf, type GoodLimit, readValue } from '../offline/outcome-labels.ts';
import { goodLimitOf, type OutcomeFlags, refuseFile } from './outcome-options.ts';
import { readReadings } from './read-labels.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

/** Fields by their paths: the first one that an entry has counts. */
interface Tool {
  readonly tool: string;
  /** All of them are in each entry. */
  readonly has: readonly string[];
  readonly name: readonly string[];
  readonly human: readonly [field: string, value: string];
  readonly by: readonly string[];
  readonly session: string;
  readonly trace: readonly string[];
  readonly values: readonly string[];
  readonly note: string;
}

const TOOLS: readonly Tool[] = [
  // Scores of the API and of exports: packages/shared/src/domain/scores.ts of langfuse.
  {
    ...{ tool: 'Langfuse', has: ['dataType', 'source'], name: ['name'], human: ['source', 'ANNOTATION'] },
    ...{ by: ['authorUserId'], session: 'sessionId', trace: ['traceId'] },
    ...{ values: ['stringValue', 'value'], note: 'comment' },
  },
  // Annotations of spans, traces and sessions; data frames have the fields of `result` with a dot.
  {
    ...{ tool: 'Phoenix', has: ['annotator_kind'], name: ['annotation_name', 'name'] },
    ...{ human: ['annotator_kind', 'HUMAN'], by: ['user_id', 'identifier'], session: 'session_id' },
    ...{ trace: ['trace_id'], values: ['result.label', 'result.score'], note: 'result.explanation' },
  },
  // Feedback; `session_id` is a project there. People annotate in the app; `api` may be anybody.
  {
    ...{ tool: 'LangSmith', has: ['key', 'feedback_source.type'], name: ['key'] },
    ...{ human: ['feedback_source.type', 'app'], by: ['feedback_source.user_name', 'feedback_source.user_id'] },
    ...{ session: 'feedback_thread_id', trace: ['trace_id', 'run_id'], values: ['score', 'value'], note: 'comment' },
  },
  // Assessments, by themselves or in traces; mlflow/entities/assessment.py.
  {
    ...{ tool: 'MLflow', has: ['source.source_type'], name: ['assessment_name', 'name'] },
    ...{ human: ['source.source_type', 'HUMAN'], by: ['source.source_id'] },
    ...{ session: 'trace_metadata.mlflow.trace.session', trace: ['trace_id'], values: ['feedback.value'] },
    note: 'rationale',
  },
];

interface Annotations {
  readonly tool: string;
  /** The annotation that was taken. */
  readonly name: string;
  /** Entries of that name without a value, or without a trace or session. */
  readonly leftOut: number;
}

interface Options {
  readonly by?: string | undefined;
  readonly label?: string | undefined;
  readonly good?: GoodLimit | undefined;
}

interface Read {
  readonly readings: readonly WrittenReading[];
  /** Undefined of readings in Assay's own form. */
  readonly annotations?: Annotations | undefined;
}

/** Readings of either kind of file; mistakes in it fail the command. */
export function readingsIn(file: string, flags: OutcomeFlags & { readonly by?: string | undefined }): Read {
  const { by, label } = flags;
  const good = goodLimitOf(flags);
  const found = readAnnotations(file, { by, label, good });
  const { mistakes, ...read } = found ?? readReadings(file, { by });
  refuseFile(mistakes);
  if (found === undefined && (label !== undefined || good !== undefined))
    throw new CommandFailure('--label and --good-… are for annotations of other tools: the file has none', EXIT.usage);
  return read;
}

/** Undefined where it is no export of such a tool. */
export function readAnnotations(
  file: string,
  options: Options,
): (Read & { readonly mistakes: readonly Mistake[] }) | undefined {
  const { entries, mistakes: unread } = readList(file, { expected: '' });
  const all = entries.flatMap(annotationsIn);
  const tool = TOOLS.find(
    ({ has }) => all[0] !== undefined && has.every((field) => textAt(all[0], [field]) !== undefined),
  );
  if (tool === undefined || unread.length > 0) return undefined;
  const names = [...new Set(all.flatMap((one) => textAt(one, tool.name) ?? []))];
  const name = options.label ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) {
    const problem =
      options.label === undefined
        ? `${names.length} annotations of ${tool.tool} may say whether a conversation went well`
        : `no annotation of ${tool.tool} in it is called ${options.label}`;
    return {
      readings: [],
      mistakes: [wholeMistake(file, { problem, expected: `--label with one of ${names.join(', ')}` })],
    };
  }
  const mistakes: Mistake[] = [];
  const own = all.filter((one) => textAt(one, tool.name) === name);
  const readings = own.flatMap((one) => {
    const read = readingOf(one, tool, options);
    if (read === undefined || 'conversation_id' in read) return read ?? [];
    mistakes.push({ file, ...one.placeOf([]), ...read, path: name });
    return [];
  });
  const annotations = { tool: tool.tool, name, leftOut: own.length - readings.length };
  return { readings: withoutContradictions(readings), annotations, mistakes: firstOf(mistakes, file) };
}

/** A trace of MLflow has a list of them. */
function annotationsIn({ value, placeOf, placeOfKey }: Entry): readonly Entry[] {
  if (!isRecord(value)) return [];
  const of = isRecord(value.info) ? value.info : value;
  const within = Array.isArray(of.assessments) ? of.assessments.filter(isRecord) : undefined;
  return (within?.map((one) => ({ ...of, ...one })) ?? [value]).map((one) => ({ value: one, placeOf, placeOfKey }));
}

/** Undefined where it has no value or place; a mistake where the value is neither good nor bad. */
function readingOf(
  entry: Entry,
  tool: Tool,
  { by, good }: Options,
): WrittenReading | Pick<Mistake, 'problem' | 'expected'> | undefined {
  const session = textAt(entry, [tool.session]);
  const trace = textAt(entry, tool.trace);
  const values = tool.values.flatMap((path) => textAt(entry, [path]) ?? []);
  const [first] = values;
  if ((session ?? trace) === undefined || first === undefined) return undefined;
  const read = values.map((value) => readValue(WORDS.get(value.toLowerCase()) ?? value, good));
  const isGood = read.find((one) => typeof one === 'boolean');
  if (isGood === undefined)
    return { problem: `${JSON.stringify(first.slice(0, 80))} is neither good nor bad`, expected: String(read.at(-1)) };
  const note = textAt(entry, [tool.note]);
  const [field, human] = tool.human;
  return {
    conversation_id: session ?? conversationOf(trace ?? ''),
    answer: isGood ? 'good' : 'bad',
    by: (textAt(entry, tool.by) ?? by ?? tool.tool).slice(0, PERSON_MAX),
    ...(textAt(entry, [field]) === human ? {} : { source: 'agent' }),
    ...(note === undefined ? {} : { note: note.slice(0, NOTE_MAX) }),
  };
}

/** Besides those of outcomes. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({ yes: 'good', no: 'bad', pass: 'good', fail: 'bad' }),
);
/** The API takes no more. */
const PERSON_MAX = 200;
const NOTE_MAX = 10_000;

/** MLflow writes `tr-` before the id of a trace, and LangSmith writes it as a UUID. */
function conversationOf(trace: string): string {
  const traceId = tryParseTraceId(trace.replace(/^tr-|-/g, ''));
  return traceId === undefined ? trace : `trace:${traceId}`;
}

function textAt(entry: Entry | undefined, paths: readonly string[]): string | undefined {
  return paths.map((path) => at(entry?.value, path)).find((text) => text !== undefined);
}

function at(value: unknown, path: string): string | undefined {
  if (!isRecord(value)) return undefined;
  const found = Object.hasOwn(value, path) ? value[path] : undefined;
  if (found !== undefined && found !== null && found !== '' && typeof found !== 'object') return String(found);
  const [head = '', ...rest] = path.split('.');
  return rest.length > 0 && Object.hasOwn(value, head) ? at(value[head], rest.join('.')) : undefined;
}
