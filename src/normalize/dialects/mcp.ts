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
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import { row } from '../rows.ts';

export const mcp: Dialect = {
  name: 'mcp',
  rows: [row('kind', 'mcp.method.name', (value) => (value === 'tools/call' ? 'tool' : 'other'))],
  captured: [
    ['toolArgs', 'mcp.request.argument'],
    ['toolResult', 'mcp.response.value'],
  ],
  toolArgs: [attributeFinder('mcp.request.argument')],
  toolResult: [attributeFinder('mcp.response.value')],
};
