/**
 * A message as Python prints the object that a framework keeps it in, which some instrumentations write where others
 * write JSON:
 *
 *     ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='…')], _name=None, _meta={})      Haystack
 *     ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock(…, text='…')])      LlamaIndex
 *     HumanMessage(content='…', additional_kwargs={}, response_metadata={})      LangChain
 */
import { pythonObject } from '../model/python-literal.ts';
import { member } from './jsonish.ts';

const MESSAGE = /^(Human|AI|System|Tool|Chat)Message(?:Chunk)?\(/;

/** LangChain's classes say whose message it is. */
const ROLE_OF_CLASS: ReadonlyMap<string, string> = new Map([
  ['Human', 'user'],
  ['AI', 'assistant'],
  ['System', 'system'],
  ['Tool', 'tool'],
]);

/** Whether it begins as such a message does, which costs little. */
export function isPrintedMessage(value: unknown): value is string {
  return typeof value === 'string' && MESSAGE.test(value);
}

/** The message as an object with a role; undefined where it is printed in another way, or cut. */
export function readPrintedMessage(text: string): object | undefined {
  const read = pythonObject(text);
  if (typeof read !== 'object' || read === null) return undefined;
  const role = member(read, 'role') ?? ROLE_OF_CLASS.get(MESSAGE.exec(text)?.[1] ?? '');
  if (typeof role !== 'string') return undefined;
  const content = member(read, 'content') ?? member(read, 'blocks');
  const reason = member(member(read, 'meta') ?? member(read, 'response_metadata'), 'finish_reason');
  return { ...read, role, content, ...(typeof reason === 'string' && { finish_reason: reason }) };
}
