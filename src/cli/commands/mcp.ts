/** `assay mcp`: the MCP server for coding agents over stdio. Standard output is the protocol's alone. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { mcpServer } from '../../mcp/mcp-server.ts';
import type { ToolSide } from '../../mcp/tool.ts';
import { apiOfEither, apiOfService, apiOfStore } from '../api-of-service.ts';
import { addCase } from '../case-file.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { askedPort, askedService, type ServiceFlags, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

type McpFlags = ServiceFlags & { readonly dataset?: string };

const HELP = `
Example for Claude Code:
  claude mcp add assay -- npx assay mcp --dataset cases/from-production.jsonl`;

export function addMcp(program: Command, terminal: Terminal): void {
  program
    .command('mcp')
    .description('serve the Model Context Protocol over stdio, for coding agents: docs/mcp.md')
    .option('--dataset <file>', 'JSON lines (.jsonl), or a folder, to which add_test_case adds cases')
    .option('--url <url>', 'the service to ask (default: that of the configuration, if it runs on this machine)')
    .addOption(settingOption('config'))
    .addOption(
      settingOption('data_dir', 'Folder of a store to read without its service; unless given, the service is asked.'),
    )
    .addOption(tokenOption())
    .addOption(askedPort())
    .addHelpText('after', HELP)
    .action(async (flags: McpFlags) => {
      if (flags.url !== undefined && flags.dataDir !== undefined)
        throw new CommandFailure('--url asks a service and --data-dir reads a store: use only one of them', EXIT.usage);
      const loaded = await load(
        { config: flags.config, dataDir: flags.dataDir, httpPort: flags.httpPort },
        { secrets: "the store's" },
      );
      const service = askedService(flags, loaded.settings);
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
