/** `assay mcp`: the MCP server for coding agents over stdio. Standard output is the protocol's alone. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { mcpServer } from '../../mcp/mcp-server.ts';
import type { ToolSide } from '../../mcp/tool.ts';
import { apiOfEither, apiOfService, apiOfStore } from '../api-of-service.ts';
import { addCase } from '../case-file.ts';
import { addServiceOrStore, serviceOrStore, type ServiceOrStoreFlags } from '../service-or-store.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface McpFlags extends ServiceOrStoreFlags {
  readonly dataset?: string;
}

const HELP = `
Example for Claude Code:
  claude mcp add assay -- npx assay mcp --dataset cases/from-production.jsonl`;

export function addMcp(program: Command, terminal: Terminal): void {
  addServiceOrStore(
    program
      .command('mcp')
      .description('serve the Model Context Protocol over stdio, for coding agents: docs/reference/mcp.md')
      .option('--dataset <file>', 'JSON lines (.jsonl), or a folder, to which add_test_case adds cases'),
  )
    .addHelpText('after', HELP)
    .action(async (flags: McpFlags) => {
      const { loaded, service } = await serviceOrStore(flags);
      const store = apiOfStore(loaded);
      const { dataset } = flags;
      const side: ToolSide = {
        api: apiOf(flags, { ofService: apiOfService(service), ofEither: apiOfEither(service, store), ofStore: store }),
        keepCase: dataset === undefined ? undefined : async (line, id) => addCase(dataset, { line, id }),
      };
      const server = serveStdio(() => mcpServer(side, version), {
        onerror: (error) => terminal.err(`mcp: ${error.message}`),
      });
      await ended();
      await server.close();
      await store.close();
    });
}

function apiOf(
  { url, dataDir }: McpFlags,
  apis: { readonly [of in 'ofService' | 'ofEither' | 'ofStore']: ToolSide['api'] },
): ToolSide['api'] {
  if (url !== undefined) return apis.ofService;
  return dataDir === undefined ? apis.ofEither : apis.ofStore;
}

/** Resolves when the client closes its end, or ends the process in a kind way. */
function ended(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
