/**
 * Annotations of conversations that other tools export, as readings. A person's annotation is a reading by a person; one
 * by a model or a program is that of an agent. The user chooses the name that says whether a conversation went well:
 * a helpfulness of 4 does not.
 */
import { tryParseTraceId } from '../model/ids.ts';
import type { Mistake } from '../model/mistake.ts';
import { latestReadings, type WrittenReading } from '../model/readings.ts';
import { type Entry, isRecord, readList, wholeMistake } from '../offline/list-file.ts';
import { firstOf, labelAmong, problemOf, readValue } from '../offline/outcome-labels.ts';
import { goodLimitOf, type OutcomeFlags, refuseFile } from './outcome-options.ts';
import { readReadings } from './read-labels.ts';

/**
 * Shapes of annotations, by the paths of their fields; of several the first that is there counts. Langfuse: scores, see
 * packages/shared/src/domain/scores.ts. Phoenix: annotations; data frames write `result.label` as one name. LangSmith:
 * feedback; `session_id` is a project, and of the source `api` may be anybody's. MLflow: mlflow/entities/assessment.py.
 */
const TOOLS = [
  {
    ...{ tool: 'Langfuse', has: 'dataType', source: 'source', person: 'ANNOTATION', by: ['authorUserId'] },
    ...{ name: ['name'], session: 'sessionId', trace: ['traceId'], part: 'observationId', note: 'comment' },
    values: ['stringValue', 'value'],
  },
  {
    ...{ tool: 'Phoenix', has: 'annotator_kind', source: 'annotator_kind', person: 'HUMAN', session: 'session_id' },
    ...{ by: ['user_id', 'identifier'], name: ['annotation_name', 'name'], trace: ['trace_id'] },
    ...{ values: ['result.label', 'result.score'], note: 'result.explanation' },
  },
  {
    ...{ tool: 'LangSmith', has: 'feedback_source.type', source: 'feedback_source.type', person: 'app', name: ['key'] },
    ...{ by: ['feedback_source.user_name', 'feedback_source.user_id'], session: 'feedback_thread_id' },
    ...{ trace: ['trace_id', 'run_id'], values: ['score', 'value'], note: 'comment' },
  },
  {
    ...{ tool: 'MLflow', has: 'source.source_type', source: 'source.source_type', person: 'HUMAN' },
    ...{ by: ['source.source_id'], name: ['assessment_name', 'name'], session: 'trace_metadata.mlflow.trace.session' },
    ...{ trace: ['trace_id'], values: ['feedback.value'], note: 'rationale' },
  },
] as const;

/** Words of annotations only: the outcome `reopened: yes` is bad. */
const WORDS = new Map(Object.entries({ yes: 'good', pass: 'good', no: 'bad', fail: 'bad' }));

interface ReadingFile {
  readonly readings: readonly WrittenReading[];
  /** The annotations that were taken; undefined of readings in Assay's own form. */
  readonly of?: { readonly tool: string; readonly name: string; readonly leftOut: number };
}

/** Fails the command if the file has mistakes. */
export function readingsIn(file: string, flags: OutcomeFlags & { readonly by?: string | undefined }): ReadingFile {
  const { entries, mistakes } = readList(file, { expected: '' });
  const all = entries.flatMap(annotationsIn);
  const tool = mistakes.length > 0 ? undefined : TOOLS.find(({ has }) => textAt(all[0], [has]) !== undefined);
  if (tool === undefined) {
    const own = readReadings(file, { by: flags.by });
    return own.mistakes.length > 0 ? refuseFile(own.mistakes) : { readings: latestReadings(own.readings) };
  }
  const names = new Set(all.flatMap((one) => textAt(one, tool.name) ?? []));
  const name = labelAmong([...names], flags.label);
  if (typeof name !== 'string') return refuseFile([wholeMistake(file, name)]);
  const good = goodLimitOf(flags);
  const own = all.filter((one) => textAt(one, tool.name) === name);
  const wrong: Mistake[] = [];
  const readings = own.flatMap((one): readonly WrittenReading[] => {
    const values = tool.values.flatMap((path) => textAt(one, [path]) ?? []);
    const said = values.map((value) => readValue(WORDS.get(value.toLowerCase()) ?? value, good));
    const isGood = said.find((value) => typeof value === 'boolean');
    const expected = said.at(-1);
    if (isGood === undefined && typeof expected === 'string')
      wrong.push({ file, ...one.placeOf([]), path: name, problem: problemOf(values.at(-1)), expected });
    const conversation = textAt(one, [tool.session]) ?? conversationOf(textAt(one, tool.trace));
    // A score of one observation says nothing of the whole.
    const isOfPart = 'part' in tool && textAt(one, [tool.part]) !== undefined;
    if (isGood === undefined || conversation === undefined || isOfPart) return [];
    const source = textAt(one, [tool.source]) === tool.person ? 'person' : 'agent';
    const by = textAt(one, tool.by) ?? flags.by ?? tool.tool;
    const note = textAt(one, [tool.note]);
    return [{ conversation_id: conversation, answer: isGood ? 'good' : 'bad', by, source, note }];
  });
  if (wrong.length > 0) return refuseFile(firstOf(wrong, file));
  return { readings, of: { tool: tool.tool, name, leftOut: own.length - readings.length } };
}

/** MLflow writes `tr-` before the id of a trace, and LangSmith writes it as a UUID. */
function conversationOf(trace: string | undefined): string | undefined {
  const traceId = tryParseTraceId(trace?.replace(/^tr-|-/g, '') ?? '');
  return traceId === undefined ? trace : `trace:${traceId}`;
}

/** A trace of MLflow has a list of them. */
function annotationsIn({ value, ...place }: Entry): readonly Entry[] {
  if (!isRecord(value)) return [];
  const of = isRecord(value.info) ? value.info : value;
  const within = Array.isArray(of.assessments) ? of.assessments.filter(isRecord) : [{}];
  return within.map((one) => ({ ...place, value: { ...of, ...one } }));
}

function textAt(entry: Entry | undefined, paths: readonly string[]): string | undefined {
  return paths.map((path) => at(entry?.value, path)).find((text) => text !== undefined);
}

function at(value: unknown, path: string): string | undefined {
  if (!isRecord(value)) return undefined;
  const found = Object.hasOwn(value, path) ? (value[path] ?? '') : '';
  if (found !== '' && typeof found !== 'object') return String(found);
  const [head = '', ...rest] = path.split('.');
  return rest.length > 0 && Object.hasOwn(value, head) ? at(value[head], rest.join('.')) : undefined;
}
