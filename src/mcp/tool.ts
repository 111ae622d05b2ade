/**
 * A tool of the MCP server: its arguments, and what it does with the API. There is no schema of results: clients put all
 * that a server lists before a model, for each conversation, and the shapes of whole answers of the API were four fifths
 * of it.
 */
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { visibleText } from '../model/visible-text.ts';
import { type AskedApi, ToolProblem } from './asked-api.ts';
import { cutText, type Structured, toolProblem, toolResult, toolResultWithText } from './tool-result.ts';

const KEY_SHOWN = 60;
const MISTAKES_SHOWN = 10;

export interface ToolSide {
  readonly api: AskedApi;
  /** Adds a line to the dataset of the person who started the server; undefined where there is none. */
  readonly keepCase: ((line: string, id: string) => Promise<KeptCase>) | undefined;
}

export type KeptCase =
  | { readonly is: 'added' | 'there'; readonly file: string }
  /** It is not a file that lines can be added to. */
  | { readonly is: 'refused'; readonly because: string };

interface ToolParts<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly writes?: true;
  /** The field of the result that holds a text that is not cut. */
  readonly whole?: string;
  readonly run: (side: ToolSide, input: z.output<Input>) => Promise<Structured>;
}

export interface Tool {
  /** As clients see it. */
  readonly listed: ListedTool;
  readonly call: (side: ToolSide, given: unknown) => Promise<CallToolResult>;
}

export function tool<Input extends z.ZodObject>(of: ToolParts<Input>): Tool {
  const { name, title, description, input, writes, whole, run } = of;
  const shape = strict(input);
  return {
    listed: {
      name,
      title,
      description,
      inputSchema: listedSchema(shape),
      annotations: {
        readOnlyHint: writes !== true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    call: async (side, given) => {
      const parsed = shape.safeParse(given ?? {});
      if (!parsed.success) return toolProblem(mistakesIn(name, parsed.error));
      try {
        // The cast holds because the shape is that of `input`.
        const result = await run(side, parsed.data as z.output<Input>);
        if (whole === undefined) return toolResult(result);
        const { [whole]: text, ...rest } = result;
        return typeof text === 'string' ? toolResultWithText(rest, whole, text) : toolResult(result);
      } catch (error) {
        if (error instanceof ToolProblem) return toolProblem(error.message);
        throw error;
      }
    },
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

function listedSchema(shape: z.ZodObject): ListedTool['inputSchema'] {
  const { $schema: _draft, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  // The cast holds because a schema is JSON, and that of an object has its type.
  return schema as ListedTool['inputSchema'];
}

function mistakesIn(name: string, { issues }: z.ZodError): string {
  const mistakes = issues
    .slice(0, MISTAKES_SHOWN)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${inWords(message)}`));
  return `the arguments of ${name} have mistakes: ${mistakes.join('; ')}`;
}

function inWords(message: string): string {
  return message.endsWith('received undefined') ? 'it is missing' : message.replace(/^Invalid input: /, '');
}

/** Parts of a path of the API. */
export function encoded(conversation: string): string {
  return encodeURIComponent(conversation);
}
