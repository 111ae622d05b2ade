/** The SDK's own client, over stdio (a process of the command) and over HTTP (the port of a service). */
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { MAIN } from '../assay-command.ts';
import { tempDirectory } from '../temp-directory.ts';

export interface AskedTools {
  readonly client: Client;
  /** Fails where the tool answers a problem. */
  call<Shape extends z.ZodType>(name: string, input: Record<string, unknown>, shape: Shape): Promise<z.output<Shape>>;
  result(name: string, input: Record<string, unknown>): Promise<CallToolResult>;
}

export async function toolsOverHttp(http: string, token?: string): Promise<AskedTools> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', http), { requestInit: { headers } }));
}

export async function toolsOverStdio(args: readonly string[], token?: string): Promise<AskedTools> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      cwd: tempDirectory(),
      env: { PATH, NODE_COMPILE_CACHE, ...(token === undefined ? {} : { ASSAY_TOKEN: token }) },
    }),
  );
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<AskedTools> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const result: AskedTools['result'] = async (name, input) => client.callTool({ name, arguments: input });
  return {
    client,
    result,
    call: async (name, input, shape) => {
      const { isError, structuredContent, content } = await result(name, input);
      expect([name, isError ?? false, isError === true ? content : '']).toEqual([name, false, '']);
      // Its first field says that the rest is data.
      const { notice: _notice, ...shown } = z.looseObject({}).parse(structuredContent);
      return shape.parse(shown);
    },
  };
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((one) => (one.type === 'text' ? one.text : '')).join('');
}
