/** The MCP server: its tools, and what it tells a client about itself. Each connection or request has one of its own. */
import { McpServer } from '@modelcontextprotocol/server';
import type { ToolSide } from './tool.ts';
import { UNTRUSTED } from './tool-result.ts';
import { CHANGE_TOOLS } from './tools/changes.ts';
import { CONVERSATION_TOOLS } from './tools/conversations.ts';
import { QUALITY_TOOLS } from './tools/quality.ts';

const INSTRUCTIONS = `Assay evaluates LLM agents from their traces. From an alert to a failing test case: what_got_worse names the
agent, the version and the criterion; find_conversations (criterion, agent_version) has examples; explain_conversation and
read_transcript show why one failed; add_test_case keeps it; then "assay run" fails until the agent is mended.
${UNTRUSTED} Figures come with an interval and n: say both.`;

export function mcpServer(side: ToolSide, version: string): McpServer {
  const server = new McpServer({ name: 'assay', title: 'Assay', version }, { instructions: INSTRUCTIONS });
  for (const register of [...QUALITY_TOOLS, ...CONVERSATION_TOOLS, ...CHANGE_TOOLS]) register(server, side);
  return server;
}
