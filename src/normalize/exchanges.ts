/**
 * Reads raw requests to a model and raw answers of its API, as some spans record them:
 *
 *     asked      {system?, messages: […]}      chat completions, Anthropic, and what LangChain hands on ([[…]])
 *                {instructions?, input: '…' | [items]}      Responses
 *                {contents, config: {systemInstruction}}      Gemini
 *     answered   {choices: [{message, finish_reason}]}      chat completions
 *                {output: [items], status}      Responses
 *                {role, content: […], stop_reason}      Anthropic
 *                {candidates: [{content, finishReason}]}      Gemini, and Genkit ({message, finishReason})
 *                {output: {message}, stopReason}      Bedrock
 *                {message, done_reason}      Ollama, Cohere
 *                {generations: [[{text, message}]]}      LangChain
 *                {replies: ['…' | {role, content, meta}]}      Haystack
 *
 * Here they become a list of messages in whatever form the API gives to one; `messages.ts` understands those. None of
 * it is said to be there unless its own members are: a tool's result may have a member `output` too.
 */
import { member, memberText } from './jsonish.ts';
import { Finished, isMessageLike } from './message-forms.ts';
import { isMapping } from '../model/json.ts';

/** The messages inside, or undefined where this is no such exchange. */
export function messagesInside(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return inOnlyAnswer(value);
  if (typeof value !== 'object' || value === null) return undefined;
  return inRequest(value) ?? inAnswer(value);
}

/** A reassembled streamed answer may stand in a list, alone. */
function inOnlyAnswer(list: readonly unknown[]): readonly unknown[] | undefined {
  const [only, ...others] = list;
  return others.length === 0 && isMapping(only) && !isMessageLike(only) ? inAnswer(only) : undefined;
}

function inRequest(value: object): readonly unknown[] | undefined {
  const messages = member(value, 'messages');
  if (Array.isArray(messages)) return instructed(value, firstBatch(messages));
  const input = member(value, 'input');
  if (Array.isArray(input) && input.length > 0 && input.every(isMessageLike)) return instructed(value, input);
  if (typeof input === 'string' && (memberText(value, 'model') ?? memberText(value, 'instructions')) !== undefined) {
    return instructed(value, [{ role: 'user', content: input }]);
  }
  const asked = member(value, 'new_message');
  if (isMessageLike(asked)) return [asked];
  const contents = member(value, 'contents');
  if (typeof contents === 'string') return instructed(value, [{ role: 'user', content: contents }]);
  if (Array.isArray(contents)) return instructed(value, contents);
  return isMessageLike(contents) ? instructed(value, [contents]) : undefined;
}

/** LangChain hands on a list of lists, of which all but the first are other conversations. */
function firstBatch(messages: readonly unknown[]): readonly unknown[] {
  const [first] = messages;
  return Array.isArray(first) && !isTuple(first) ? first : messages;
}

function isTuple(value: readonly unknown[]): boolean {
  return value.length === 2 && typeof value[0] === 'string';
}

function instructed(value: object, messages: readonly unknown[]): readonly unknown[] {
  const instructions = instructionsOf(value);
  return instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** Instructions of a request beside its messages. */
export function instructionsOf(value: unknown): unknown {
  const config = member(value, 'config');
  const found =
    member(value, 'system') ??
    member(value, 'instructions') ??
    member(value, 'systemInstruction') ??
    member(value, 'system_instruction') ??
    member(config, 'systemInstruction') ??
    member(config, 'system_instruction');
  // Gemini gives its instructions as a content.
  const content = member(found, 'parts') ?? found;
  return content === '' || content === null ? undefined : content;
}

function inAnswer(value: object): readonly unknown[] | undefined {
  const choices = member(value, 'choices');
  if (Array.isArray(choices)) return choices.flatMap(inChoice);
  const generations = member(value, 'generations');
  if (Array.isArray(generations)) return generations.flat().flatMap(inGeneration);
  const candidates = member(value, 'candidates');
  if (Array.isArray(candidates)) return candidates.flatMap(inCandidate);
  const replies = member(value, 'replies');
  if (Array.isArray(replies)) return replies.map(inReply);
  const content = member(value, 'content');
  // An event of Google's ADK is a message with its role inside.
  if (isMapping(content) && Array.isArray(member(content, 'parts')) && member(value, 'role') === undefined) {
    return [finished(content, member(value, 'finish_reason') ?? member(value, 'finishReason'))];
  }
  const output = member(value, 'output');
  if (Array.isArray(output)) return inItems(value, output);
  const converse = member(output, 'message');
  if (isMessageLike(converse)) return [finished(converse, member(value, 'stopReason'))];
  const message = member(value, 'message');
  if (isMessageLike(message)) {
    return [
      finished(
        message,
        member(value, 'finish_reason') ?? member(value, 'finishReason') ?? member(value, 'done_reason'),
      ),
    ];
  }
  const update = member(value, 'update');
  return isMapping(update) ? inRequest(update) : undefined;
}

function inChoice(choice: unknown): readonly unknown[] {
  const reason = member(choice, 'finish_reason') ?? member(choice, 'finishReason');
  const message = member(choice, 'message') ?? member(choice, 'delta');
  if (isMapping(message)) return [finished(message, reason)];
  const text = memberText(choice, 'text');
  return text === undefined ? [] : [{ role: 'assistant', content: text, finish_reason: reason }];
}

function inGeneration(generation: unknown): readonly unknown[] {
  const details = member(generation, 'generationInfo') ?? member(generation, 'generation_info');
  const reason = member(details, 'finish_reason') ?? member(details, 'stop_reason');
  const message = member(generation, 'message');
  if (isMapping(message)) return [finished(message, reason)];
  const text = memberText(generation, 'text');
  return text === undefined ? [] : [{ role: 'assistant', content: text, finish_reason: reason }];
}

function inReply(reply: unknown): unknown {
  return isMapping(reply) ? finished(reply, member(member(reply, 'meta'), 'finish_reason')) : reply;
}

function inCandidate(candidate: unknown): readonly unknown[] {
  const content = member(candidate, 'content') ?? member(candidate, 'message');
  if (!isMapping(content)) return [];
  return [finished(content, member(candidate, 'finishReason') ?? member(candidate, 'finish_reason'))];
}

/** Items of the Responses API; or what a node of a LangGraph gave back, among it commands that hold messages. */
function inItems(value: object, items: readonly unknown[]): readonly unknown[] | undefined {
  if (items.length === 0 && member(value, 'status') === undefined) return undefined;
  if (items.every(isMessageLike)) {
    const last = items.at(-1);
    const reason = member(member(value, 'incomplete_details'), 'reason') ?? statusReason(value);
    return isMapping(last) && reason !== undefined ? [...items.slice(0, -1), finished(last, reason)] : items;
  }
  const inside = items.flatMap((item) => (isMapping(item) ? (inRequest(member(item, 'update') ?? {}) ?? []) : []));
  return inside.length === 0 ? undefined : inside;
}

/** `completed` is no reason to stop: a response that calls a tool has it, too. */
function statusReason(value: object): string | undefined {
  const status = memberText(value, 'status');
  return status === 'failed' ? 'error' : status === 'incomplete' ? 'length' : undefined;
}

function finished(message: unknown, reason: unknown): unknown {
  return reason === undefined || reason === null ? message : new Finished(message, reason);
}
