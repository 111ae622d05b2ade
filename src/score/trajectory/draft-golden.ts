/**
 * From a run that went well to a draft of a golden trace, for a person to look over. Values that differ from run to run
 * become globs: uuids, dates and times, ids with a number in them (`TKT-4711` is `TKT-*`). Values that the user named
 * stay, because they are part of the task. Long texts of the agent's own may be anything.
 *
 * Calls that failed are left out; calls that ran side by side stand under `unordered`.
 */
import { Document } from 'yaml';
import type { Conversation } from '../../model/conversation.ts';
import { isMapping, type Json } from '../../model/json.ts';
import type { ToolCall } from '../../model/turn.ts';
import { visibleYaml } from '../../model/visible-yaml.ts';
import { shorten } from '../subject/sentences.ts';
import { STEPS_MAX } from './golden-trace.ts';
import { subjectOf } from '../subject/subject.ts';
import { observationOf } from './observation.ts';
import { runOf } from './run.ts';

// All linear: each piece is of bounded length, or one run of a single class.
const DYNAMIC = new RegExp(
  [
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '\\d{4}-\\d{2}-\\d{2}(?:[T ][\\d:.]{4,20}(?:Z|[+-]\\d{2}:?\\d{2})?)?',
    '\\b(?=[0-9a-f]{0,60}\\d)[0-9a-f]{12,64}\\b',
    '(?<=\\b[a-z]{1,12}[-_#])\\d[\\w-]{0,60}',
    '\\d{5,40}',
  ].join('|'),
  'gi',
);
const NAMED = /[\p{L}\p{N}][\p{L}\p{N}_#-]{0,60}/gu;
const DEPTH_MAX = 20;
const TEXT_LENGTH_MAX = 120;
const WORDS_MAX = 8;
const INTEGER_KEPT_MAX = 99_999;
const CONTAINS_MAX = 5;
const ANY = { $any: true };

/** YAML, with remarks on what to look at. */
export function draftGolden(conversation: Conversation): string {
  const { turns } = conversation;
  const run = runOf(subjectOf(conversation, undefined));
  const input = turns.find(({ userInput }) => userInput.text !== '')?.userInput.text ?? '';
  const answer = turns.at(-1)?.finalAnswer.text ?? '';
  const kept = run.calls.flatMap((call, index) => (observationOf(call) === 'error' ? [] : [index])).slice(0, STEPS_MAX);
  const document = new Document(
    {
      id: idFrom(conversation.id),
      status: 'draft',
      description: '',
      input: shorten(input, 2000),
      steps: grouped(kept, run.order).map((group) => {
        const steps = group.map((index) => stepOf(run.calls[index], input));
        return steps.length === 1 ? steps[0] : { unordered: steps };
      }),
      output: { contains: namesInBoth(input, answer) },
      max_steps: kept.length,
      ...tokensOf(conversation),
      tags: [],
    },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = [
    ' A draft, from one run. Before you approve it:',
    ' - take out steps that are not needed, or mark them `required: false`;',
    ' - look at what became a glob, and at what is still of this run alone;',
    ' - say under `output` what a right answer must contain.',
    ' Then delete `status: draft`: no conversation is compared with a draft.',
    ...remarks(run.calls, kept.length, run.beyond),
  ].join('\n');
  return visibleYaml(document);
}

function remarks(calls: readonly ToolCall[], kept: number, beyond: number): readonly string[] {
  const left = calls.length + beyond - kept;
  const unread = calls.filter(({ args }) => args.state === 'redacted' || args.state === 'truncated').length;
  return [
    ...(left > 0 ? [` Left out: ${left} calls that failed, or are beyond ${STEPS_MAX}.`] : []),
    ...(unread > 0 ? [` The arguments of ${unread} calls were not recorded in full, and are left out.`] : []),
  ];
}

/** Runs of calls of which none came before another. */
function grouped(
  kept: readonly number[],
  order: { precedes(earlier: number, later: number): boolean },
): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const index of kept) {
    const last = groups.at(-1);
    if (last?.every((other) => !order.precedes(other, index)) === true) last.push(index);
    else groups.push([index]);
  }
  return groups;
}

function stepOf(call: ToolCall | undefined, input: string): object {
  if (call === undefined) return {};
  const observation = observationOf(call);
  const { args } = call;
  return {
    tool: shorten(call.name, 200),
    ...(args.state === 'whole' && isMapping(args.json) && { args: expectedValue(args.json, input, 0) }),
    ...(observation !== undefined && { observation }),
  };
}

/** A value as the trace expects it. */
function expectedValue(value: Json, input: string, depth: number): unknown {
  if (depth > DEPTH_MAX) return ANY;
  if (typeof value === 'string') return textOf(value, input);
  if (typeof value === 'number') {
    const isOfThisRun = Math.abs(value) > INTEGER_KEPT_MAX && !input.includes(String(value));
    return isOfThisRun ? ANY : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // `Array.isArray` alone does not narrow a readonly array.
    const list: readonly Json[] = value;
    // Lists are compared as they are: one that holds anything of this run alone may be any.
    const elements = list.map((element) => expectedValue(element, input, depth + 1));
    return JSON.stringify(elements) === JSON.stringify(list) ? list : ANY;
  }
  if (Object.keys(value).some((key) => key.startsWith('$'))) return { $exact: value };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expectedValue(member, input, depth + 1)]),
  );
}

function textOf(value: string, input: string): unknown {
  if (value !== '' && input.includes(value)) return /[*?]/.test(value) ? { $exact: value } : value;
  if (value.length > TEXT_LENGTH_MAX || value.split(/\s+/, WORDS_MAX + 1).length > WORDS_MAX) return ANY;
  if (/[*?]/.test(value)) return { $exact: value.toWellFormed() };
  return value.toWellFormed().replace(DYNAMIC, (piece) => (input.includes(piece) ? piece : '*'));
}

/** Words with a digit in them that the user said and the answer says again. */
function namesInBoth(input: string, answer: string): readonly string[] {
  const names = (input.slice(0, 4000).match(NAMED) ?? []).filter((word) => /\d/.test(word) && word.length > 2);
  return [...new Set(names)].filter((name) => answer.includes(name)).slice(0, CONTAINS_MAX);
}

/** Half as much again as this run took: models are not equally wordy each time. */
function tokensOf({ usage }: Conversation): { readonly max_tokens?: number } {
  if (usage === undefined) return {};
  return { max_tokens: Math.ceil(((usage.inputTokens + usage.outputTokens) * 1.5) / 100) * 100 };
}

function idFrom(conversationId: string): string {
  const id = conversationId
    .slice(0, 100)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return id === '' ? 'a-run' : id;
}
