/**
 * AutoGen through OpenInference: the messages that an agent was given are Pydantic's print of each, `source='user' …
 * content='…' type='TextMessage'`, in a list.
 */
import { pythonFields } from '../../model/python-literal.ts';
import type { Content } from '../../model/step.ts';
import { textContent } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, member, memberText } from '../jsonish.ts';

const SCOPE = 'openinference.instrumentation.autogen_agentchat';
const INPUT = 'input.value';

export const autoGen: Dialect = {
  name: 'autogen',
  input: [{ rule: `${INPUT} messages`, key: INPUT, find: question }],
};

function question({ span: { scope, attributes } }: Evidence): Content | undefined {
  const text = scope.name === SCOPE ? attributes.text(INPUT) : undefined;
  if (text?.startsWith('{"messages": ["id=') !== true) return undefined;
  const messages = member(decodeJsonish(text).value, 'messages');
  const printed: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = typeof printed === 'string' ? memberText(pythonFields(printed), 'content') : undefined;
  return content === undefined ? undefined : textContent(content);
}
