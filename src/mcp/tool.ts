/** A tool of the MCP server: its shapes, and what it does with the API. */
import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { visibleText } from '../model/visible-text.ts';
import { type AskedApi, ToolProblem } from './asked-api.ts';
import { cutText, type Structured, toolProblem, toolResult, toolResultWithText } from './tool-result.ts';

const KEY_SHOWN = 60;

export interface ToolSide {
  readonly api: AskedApi;
  /** Adds a line to the dataset of the person who started the server; undefined where there is none. */
  readonly keepCase: ((line: string, id: string) => Promise<KeptCase>) | undefined;
}

export type KeptCase =
  | { readonly is: 'added' | 'there'; readonly file: string }
  /** It is not a file that lines can be added to. */
  | { readonly is: 'refused'; readonly because: string };

interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly writes?: true;
  /** The field of the result that holds a text that is not cut. */
  readonly whole?: string;
  readonly run: (side: ToolSide, input: z.output<Input>) => Promise<z.input<Output> & Structured>;
}

/** As the server registers it. */
export type RegisteredBy = (server: McpServer, side: ToolSide) => void;

export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(of: Tool<Input, Output>): RegisteredBy {
  const { name, title, description, input, output, writes, whole, run } = of;
  const annotations: ToolAnnotations = {
    title,
    readOnlyHint: writes !== true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const inputSchema = strict(input);
  return (server, side) => {
    const config = { title, description, inputSchema, outputSchema: output, annotations };
    server.registerTool<Output, z.ZodObject>(name, config, async (given) => {
      try {
        // The cast holds because the server has held it to `inputSchema`.
        const result = await run(side, given as z.output<Input>);
        if (whole === undefined) return toolResult(result);
        const { [whole]: text, ...rest } = result;
        return typeof text === 'string' ? toolResultWithText(rest, whole, text) : toolResult(result);
      } catch (error) {
        if (error instanceof ToolProblem) return toolProblem(error.message);
        throw error;
      }
    });
  };
}

/** An argument that is not known is refused: a filter that is ignored would give an answer to another question. */
function strict({ shape }: z.ZodObject): z.ZodObject {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown: ${(issue.keys ?? []).map((key) => cutText(visibleText(String(key)), KEY_SHOWN)).join(', ')}; known arguments: ${known}`
        : undefined,
  });
}

/** Parts of a path of the API. */
export function encoded(conversation: string): string {
  return encodeURIComponent(conversation);
}
