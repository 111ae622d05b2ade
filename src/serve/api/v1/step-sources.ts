/**
 * `GET /api/v1/sources/{conversation...}`: the attribute and the rule that gave each field of one step. The step is read
 * again from its kept spans by the code that `assay inspect` uses.
 */
import { type FieldSourceJson, type StepSources, stepSources, stepSourcesQuery } from '../../../api/step-sources.ts';
import { redactionsIn } from '../../../model/redaction.ts';
import type { Content, Step } from '../../../model/step.ts';
import type { ToolCall } from '../../../model/turn.ts';
import { dialectOf } from '../../../normalize/rule-dialect.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { type FieldSource, fieldSources } from '../../../report/inspect/field-sources.ts';
import { noSuchConversation } from './no-such-conversation.ts';
import { storedTurns } from './stored-turns.ts';
import { cut, type ListedStep, stepIn } from './transcript-json.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Characters of one value: the step itself has it whole. */
const VALUE_MAX = 300;
const ATTRIBUTES_MAX = 50;

export const getStepSources = v1Read({
  path: '/api/v1/sources/{conversation...}',
  summary: '?of= (a step_id) which attribute and rule gave each field of a step, and what was redacted or not captured',
  query: stepSourcesQuery,
  answer: stepSources,
  read: async (side: V1Side, { of }, parameters) => {
    const id = parameters.get('conversation') ?? '';
    const row = await side.reader.find(id);
    if (row === undefined) return new Refusal(noSuchConversation(id));
    const listed = stepIn((await storedTurns(side, row)).turns, of);
    if (listed !== undefined) return sourcesOf(listed);
    const error = `there is no step ${JSON.stringify(of)}: it is not of this conversation, or its span is not kept`;
    return new Refusal(jsonAnswer(404, { error }));
  },
});

export function sourcesOf({ id, step, call }: ListedStep): StepSources {
  const own = step === undefined ? [] : [nameSource(step, call), ...fieldSources(step, dialectOf).map(sourceJson)];
  const told = call === undefined ? [] : toldFields(call, step);
  return {
    step_id: id,
    ...(step === undefined ? {} : { span_id: step.spanId }),
    ...(step === undefined || step.scopeName === '' ? {} : { instrumentation: cut(step.scopeName, VALUE_MAX) }),
    fields: [...own.filter(({ field }) => !told.some((one) => one.field === field)), ...told],
    redacted_attributes: step === undefined ? [] : redactedAttributes(step),
  };
}

const IN_REQUEST = 'from the message of the model call that asked for it';
const IN_RESULT = 'from the messages that a later model call was given';

/** Fields of a tool call that its span does not give: they are known from messages. */
function toldFields(call: ToolCall, step: Step | undefined): readonly FieldSourceJson[] {
  const spanLacks = (content: Content | undefined) => content === undefined || content.state === 'missing';
  const told = (field: string, { text, state }: Content, note: string): readonly FieldSourceJson[] =>
    state === 'missing' ? [] : [withRedactions({ field, value: text, state, redacted: redactionsIn(text) }, { note })];
  return [
    ...(step?.tool === undefined ? told('name', { text: call.name, state: 'whole', json: call.name }, IN_REQUEST) : []),
    ...(spanLacks(step?.tool?.args) ? told('toolArgs', call.args, IN_REQUEST) : []),
    ...(spanLacks(step?.tool?.result) ? told('toolResult', call.result, IN_RESULT) : []),
  ];
}

function nameSource(step: Step, call: ToolCall | undefined): FieldSourceJson {
  const { rules, name } = step;
  if (call !== undefined && call.name !== name)
    return withRedactions({ field: 'name', value: call.name, state: 'whole', redacted: [] }, { note: IN_REQUEST });
  const rule = NAMED_BY[step.kind]?.map((field) => rules.get(field)).find((found) => found !== undefined);
  const dialect = rule === undefined ? undefined : dialectOf(rule);
  return sourceJson({
    field: 'name',
    value: name,
    state: 'whole',
    rule: rule ?? 'name of the span',
    dialect,
    redacted: redactionsIn(name),
  });
}

const NAMED_BY: Partial<Readonly<Record<Step['kind'], readonly string[]>>> = {
  tool: ['toolName'],
  llm: ['responseModel', 'requestModel'],
  agent: ['agentName'],
};

function sourceJson({ rule, dialect, ...rest }: FieldSource): FieldSourceJson {
  return withRedactions(rest, {
    ...(rule === undefined ? {} : { rule: cut(rule, VALUE_MAX) }),
    ...(dialect === undefined ? {} : { dialect }),
  });
}

function withRedactions(
  { field, value, state, redacted }: Omit<FieldSource, 'rule' | 'dialect'>,
  more: Partial<FieldSourceJson>,
): FieldSourceJson {
  return { field, value: cut(value, VALUE_MAX), state, ...more, ...(redacted.length === 0 ? {} : { redacted }) };
}

/** Redacted attributes, with those that no rule reads, or reads no longer because nothing is left. */
function redactedAttributes({ attributes }: Step): StepSources['redacted_attributes'] {
  return [...attributes]
    .map(([attribute, value]) => ({ attribute, redacted: typeof value === 'string' ? redactionsIn(value) : [] }))
    .filter(({ redacted }) => redacted.length > 0)
    .slice(0, ATTRIBUTES_MAX)
    .map(({ attribute, redacted }) => ({ attribute: cut(attribute, VALUE_MAX), redacted }));
}
