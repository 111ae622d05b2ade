/** The MCP server: its tools, and what it tells a client about itself. Each connection or request has one of its own. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ToolSide } from './tool.ts';
import { UNTRUSTED } from './tool-result.ts';
import { CHANGE_TOOLS } from './tools/changes.ts';
import { CONVERSATION_TOOLS } from './tools/conversations.ts';
import { QUALITY_TOOLS } from './tools/quality.ts';

const INSTRUCTIONS = `Assay evaluates LLM agents from their traces. From an alert to a failing test case: what_got_worse names the
agent, the version and the criterion; find_conversations (criterion, agent_version) has examples; explain_conversation and
read_transcript show why one failed; add_test_case keeps it; then "assay run" fails until the agent is mended.
${UNTRUSTED} Figures come with an interval and n: say both.`;

export const TOOLS = [...QUALITY_TOOLS, ...CONVERSATION_TOOLS, ...CHANGE_TOOLS];
const BY_NAME = new Map(TOOLS.map((tool) => [tool.listed.name, tool]));
/** The same for everybody, so it is made once. */
const LISTED = { tools: TOOLS.map(({ listed }) => listed) };

export function mcpServer(side: ToolSide, version: string): Server {
  const server = new Server(
    { name: 'assay', title: 'Assay', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => LISTED);
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = BY_NAME.get(params.name);
    if (tool === undefined) {
      const known = [...BY_NAME.keys()].join(', ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool of this name; there are ${known}`);
    }
    return tool.call(side, params.arguments);
  });
  return server;
}
