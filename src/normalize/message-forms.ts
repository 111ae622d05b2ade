/** Whether something is a message, in any of the forms in which one is written; and whose. */
import { langChainMessage } from './langchain.ts';
import { member, memberText } from './jsonish.ts';
import { isPrintedMessage } from './printed-message.ts';

const ROLES: ReadonlySet<string> = new Set([
  'system',
  'developer',
  'user',
  'human',
  'assistant',
  'ai',
  'model',
  'tool',
  'function',
]);

/** Items of the Responses API, and parts of the AI SDK, that are no messages and stand among them; and who says them. */
const ITEMS: ReadonlyMap<string, string> = new Map([
  ['function_call', 'assistant'],
  ['tool-call', 'assistant'],
  ['tool-result', 'tool'],
  ['custom_tool_call', 'assistant'],
  ['reasoning', 'assistant'],
  ['function_call_output', 'tool'],
  ['function_call_result', 'tool'],
  ['custom_tool_call_output', 'tool'],
]);
/** Ends of the names of items for tools that the API runs itself: `web_search_call`, `mcp_list_tools`, … */
const HOSTED_ITEM = /^[a-z_]{1,40}_(?:call|call_output|list_tools|approval_request|approval_response)$/;

/** A message beside which an API says why it ended. A class, since nothing that was parsed can be one. */
export class Finished {
  readonly message: unknown;
  readonly reason: unknown;

  constructor(message: unknown, reason: unknown) {
    this.message = message;
    this.reason = reason;
  }
}

export function isMessageLike(value: unknown): boolean {
  if (Array.isArray(value)) return isTuple(value);
  if (typeof value !== 'object' || value === null) return isPrintedMessage(value);
  if (value instanceof Finished) return isMessageLike(value.message);
  if ((memberText(value, 'role') ?? memberText(value, '_role')) !== undefined) return true;
  if (Array.isArray(member(value, 'parts'))) return true;
  return itemRole(value) !== undefined || langChainMessage(value) !== undefined;
}

/** `['human', 'hi']`, which LangChain takes for a message. */
export function isTuple(value: readonly unknown[]): value is readonly [string, unknown] {
  const [role] = value;
  return value.length === 2 && typeof role === 'string' && ROLES.has(role);
}

/** Members of a Python object as they are called inside it: `{_role, _content}`. */
export function withoutUnderscores(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key.replace(/^_/, ''), inside]));
}

/** LlamaIndex's message in the form of others. */
export function withoutBlocks(value: object): object {
  const more = member(value, 'additional_kwargs');
  const blocks = member(value, 'blocks');
  return {
    role: member(value, 'role'),
    content: Array.isArray(blocks) ? blocks.map(typedBlock) : blocks,
    tool_calls: member(more, 'tool_calls'),
    tool_call_id: member(more, 'tool_call_id'),
    finish_reason: member(value, 'finish_reason'),
  };
}

function typedBlock(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return block;
  return Object.fromEntries(
    Object.entries(block).map(([key, inside]) => [key === 'block_type' ? 'type' : key, inside]),
  );
}

/** Role of an item of the Responses API that is not a plain message. */
export function itemRole(value: object): string | undefined {
  const type = member(value, 'type');
  if (typeof type !== 'string' || member(value, 'role') !== undefined) return undefined;
  return ITEMS.get(type) ?? (HOSTED_ITEM.test(type) && type !== 'tool_call' ? 'assistant' : undefined);
}
