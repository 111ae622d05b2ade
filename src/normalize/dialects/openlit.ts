/**
 * OpenLIT: GenAI keys, and extras.
 *
 *     chat              gen_ai.tool.name, .call.id and .args of the calls that the model asked for, joined by commas; with
 *                       content switched off the only trace of them. For the Responses API the name is all tools offered.
 *     execute_tool      gen_ai.tool.input, .args, .output
 *     invoke_agent      gen_ai.workflow.input, .output: LangGraph's state, cut at 2,000 characters
 *     (by hand)         gen_ai.output.messages holds whatever the application gave, text or JSON
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Content } from '../../model/step.ts';
import { contentOf } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent } from '../jsonish.ts';
import { messageOf, type MessageList } from '../chat-messages.ts';
import { transcriptIn, wordsIn } from '../plain-text.ts';

const IDS = 'gen_ai.tool.call.id';
const INPUT = 'gen_ai.workflow.input';
const OUTPUT = 'gen_ai.workflow.output';
const GIVEN = 'gen_ai.output.messages';
const BROWSER_RESULT = 'gen_ai.agent.final_result';

/** Far more calls than a model asks for at once. */
const CALLS_MAX = 128;

export const openlit: Dialect = {
  name: 'openlit',
  messagesOut: [{ rule: 'gen_ai.tool.* of a model call', key: IDS, find: requestedCalls }],
  input: [attributeFinder(INPUT, (evidence) => wordsIn(evidence.attribute(INPUT), 'user'))],
  output: [
    attributeFinder(OUTPUT, (evidence) => wordsIn(evidence.attribute(OUTPUT), 'assistant')),
    attributeFinder(BROWSER_RESULT, (evidence) => given(evidence, BROWSER_RESULT)),
    attributeFinder(GIVEN, (evidence) => given(evidence, GIVEN)),
  ],
};

/** Messages without a word are no answer. */
function given(evidence: Evidence, key: string): Content | undefined {
  const value = evidence.attribute(key);
  if (!isPresent(value) || value === '[]' || transcriptIn(value, 'assistant') !== undefined) return undefined;
  return contentOf(value);
}

function requestedCalls({ span: { attributes } }: Evidence): MessageList | undefined {
  const operation = attributes.text('gen_ai.operation.name');
  if (operation === undefined || operation === 'execute_tool') return undefined;
  const ids = listed(attributes.text(IDS));
  const names = listed(attributes.text('gen_ai.tool.name'));
  if (ids.length === 0 || ids.length !== names.length || ids.length > CALLS_MAX) return undefined;
  const args = argsIn(attributes.get('gen_ai.tool.args') ?? attributes.get('gen_ai.tool.call.arguments'), ids.length);
  const calls = ids.map((id, at) => ({ id, name: names[at], arguments: args[at] }));
  return { state: 'whole', messages: messageOf({ role: 'assistant', tool_calls: calls }, 'assistant') };
}

function listed(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(', ');
}

/** Objects one after the other with commas between, or a list of their texts. */
function argsIn(value: AttributeValue | undefined, count: number): readonly unknown[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [];
  const list = decodeJsonish(value.startsWith('[') ? value : `[${value}]`).value;
  return Array.isArray(list) && list.length === count ? list : [];
}
