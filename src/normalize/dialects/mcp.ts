/**
 * The Model Context Protocol, client and server (semantic conventions, docs/gen-ai/mcp.md).
 *
 *     mcp.method.name       tools/call is a tool call, seen once more by whoever is around it; the rest (tools/list,
 *                           prompts/get, resources/read, …) is transport
 *     error.type            tool_error, where the call went well and its result says that the tool failed
 *     mcp.session.id        of the transport: no conversation
 *     mcp.request.argument, mcp.response.value      what early instrumentations write in place of the GenAI keys
 *
 * That a framework, the client and the server each have a span of one call is for `assemble` to find out.
 */
import type { AttributeValue } from '../../model/otlp/views.ts';
import type { Dialect, Finder } from '../dialect.ts';
import { isPresent } from '../jsonish.ts';
import { row } from '../rows.ts';

export const mcp: Dialect = {
  name: 'mcp',
  rows: [row('kind', 'mcp.method.name', (value) => (value === 'tools/call' ? 'tool' : 'other'))],
  captured: [
    ['toolArgs', 'mcp.request.argument'],
    ['toolResult', 'mcp.response.value'],
  ],
  toolArgs: [content('mcp.request.argument')],
  toolResult: [content('mcp.response.value')],
};

function content(key: string): Finder<AttributeValue> {
  return {
    rule: key,
    key,
    find: (evidence) => {
      const value = evidence.attribute(key);
      return isPresent(value) ? value : undefined;
    },
  };
}
