/**
 * Names, for each field of a step, the attribute or rule that it was read from, and says what of it is missing: content
 * that the span did not carry, and values that redaction took out. `assay inspect --why` and the page show the same.
 */
import { redactionsIn } from '../../model/redaction.ts';
import type { Content, ContentState, Part, Step, StepKind } from '../../model/step.ts';
import { counted } from '../../model/counted.ts';
import { inWords } from './inspection-json.ts';

export interface FieldSource {
  /** Field as the rules name it. */
  readonly field: string;
  readonly value: string;
  readonly state: ContentState;
  /** An attribute, or a rule in words; undefined where the span has nothing for this field. */
  readonly rule: string | undefined;
  /** Undefined for a rule that no dialect has by itself. */
  readonly dialect: string | undefined;
  /** Patterns by which Assay took something out of the value. */
  readonly redacted: readonly string[];
}

/** Fields without a rule, which a step of that kind should have, stand at the end. */
export function fieldSources(step: Step, dialectOf: (rule: string) => string | undefined): readonly FieldSource[] {
  const { rules } = step;
  const found = [...rules].map(([field, rule]) => sourceOf(step, field, { rule, dialect: dialectOf(rule) }));
  // The message of a tool, or the reason a model stopped, can be the only sign of an error.
  const inferred = step.error !== undefined && !rules.has('error') ? [{ field: 'error', rule: step.error.source }] : [];
  const lacking = (EXPECTED[step.kind] ?? []).filter((fields) => !fields.some((field) => rules.has(field)));
  return [
    ...found,
    ...inferred.map(({ field, rule }) => sourceOf(step, field, { rule, dialect: undefined })),
    ...lacking.map(([field = '']) => sourceOf(step, field, { rule: undefined, dialect: undefined })),
  ];
}

/** A list of messages is shown as a number, and any of them may have been redacted. */
function redactionsOf(step: Step, field: string, value: string): readonly string[] {
  if (field !== 'messagesIn' && field !== 'messagesOut') return redactionsIn(value);
  const parts = step[field].flatMap((message) => message.parts);
  return [...new Set(parts.map(textOf).flatMap(redactionsIn))];
}

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool_call':
      return part.args.text;
    case 'tool_result':
      return part.result.text;
    default:
      return '';
  }
}

/** The step should have one of each list. */
const EXPECTED: Partial<Readonly<Record<StepKind, readonly (readonly string[])[]>>> = {
  tool: [['toolArgs'], ['toolResult']],
  llm: [
    ['responseModel', 'requestModel'],
    ['messagesIn'],
    ['messagesOut'],
    ['inputTokens'],
    ['outputTokens'],
    ['costUsd'],
  ],
  agent: [
    ['input', 'messagesIn'],
    ['output', 'messagesOut'],
  ],
  workflow: [
    ['input', 'messagesIn'],
    ['output', 'messagesOut'],
  ],
};

function sourceOf(step: Step, field: string, from: Pick<FieldSource, 'rule' | 'dialect'>): FieldSource {
  const value = shownField(step, field);
  const state = from.rule === undefined ? 'missing' : (contentOf(step, field)?.state ?? 'whole');
  return { field, value, state, ...from, redacted: redactionsOf(step, field, value) };
}

function contentOf(step: Step, field: string): Content | undefined {
  switch (field) {
    case 'messagesIn':
      return step.messagesIn.length === 0 || step.kind === 'llm' ? step.input : undefined;
    case 'messagesOut':
      // A model may have asked for tools and said nothing.
      return step.messagesOut.length === 0 ? step.output : undefined;
    case 'input':
      return step.input;
    case 'output':
      return step.output;
    case 'toolArgs':
      return step.tool?.args;
    case 'toolResult':
      return step.tool?.result;
    default:
      return undefined;
  }
}

function shownField(step: Step, field: string): string {
  switch (field) {
    case 'kind':
      return step.kind;
    case 'messagesIn':
      return counted(step.messagesIn.length, 'message');
    case 'messagesOut':
      return `${counted(step.messagesOut.length, 'message')}: ${step.output.text}`;
    case 'systemInstructions':
      return step.systemInstructions ?? '';
    case 'input':
      return step.input.text;
    case 'output':
      return step.output.text;
    case 'toolArgs':
      return step.tool?.args.text ?? '';
    case 'toolResult':
      return step.tool?.result.text ?? '';
    case 'toolName':
      return step.tool?.name ?? '(not a tool call)';
    case 'toolCallId':
      return step.tool?.callId ?? '(not a tool call)';
    case 'error':
      return inWords(step.error) ?? '';
    case 'errorType':
      return step.error?.type ?? '';
    case 'errorMessage':
      return step.error?.message ?? '';
    case 'agentName':
      return step.agent.name ?? '';
    case 'agentId':
      return step.agent.id ?? '';
    case 'agentVersion':
      return step.agent.version ?? '';
    case 'requestModel':
      return step.model?.request ?? '';
    case 'responseModel':
      return step.model?.response ?? '';
    case 'provider':
      return step.model?.provider ?? '';
    case 'responseId':
      return step.model?.responseId ?? '';
    case 'previousResponseId':
      return step.model?.previousResponseId ?? '';
    case 'finishReasons':
      return step.model?.finishReasons.join(', ') ?? '';
    case 'inputTokens':
      return String(step.usage?.inputTokens ?? '');
    case 'outputTokens':
      return String(step.usage?.outputTokens ?? '');
    case 'cacheReadTokens':
      return String(step.usage?.cacheReadTokens ?? '');
    case 'cacheWriteTokens':
      return String(step.usage?.cacheWriteTokens ?? '');
    case 'reasoningTokens':
      return String(step.usage?.reasoningTokens ?? '');
    case 'costUsd':
      return String(step.costUsd ?? '');
    case 'conversationId':
      return step.conversationId ?? '';
    case 'userId':
      return step.userId ?? '';
    case 'environment':
      return step.environment ?? '';
    case 'serviceName':
      return step.serviceName ?? '';
    default:
      return '';
  }
}
