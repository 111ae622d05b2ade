/** How the tools ask: the HTTP API of Assay, wherever it answers. So a client of MCP gets what the page and the API give. */
import { z } from 'zod';

export interface ApiQuestion {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Its parts are percent-encoded already. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | readonly string[] | undefined };
  readonly body?: unknown;
}

export interface ApiReply {
  readonly status: number;
  readonly text: string;
}

/** Rejects with words for a person where there is no answer at all. */
export type AskedApi = (question: ApiQuestion) => Promise<ApiReply>;

/** Why a tool has no result, in words for its caller. */
export class ToolProblem extends Error {}

const OK = 200;
const FORBIDDEN = 403;

const failureSchema = z.object({ error: z.string(), problems: z.array(z.string()).default([]) });

export async function asked<Shape extends z.ZodType>(
  api: AskedApi,
  question: ApiQuestion,
  shape: Shape,
): Promise<z.output<Shape>> {
  const parsed = shape.safeParse(JSON.parse(await askedText(api, question)));
  if (parsed.success) return parsed.data;
  throw new ToolProblem(
    `${question.path} answered in another form than this version of Assay knows: use the same version on both sides`,
  );
}

export async function askedText(api: AskedApi, question: ApiQuestion): Promise<string> {
  const { status, text } = await api(question);
  if (status === OK) return text;
  const { error, problems } = failureOf(text);
  const why = [error, ...problems].join('; ');
  throw new ToolProblem(
    status === FORBIDDEN && question.method === 'PUT'
      ? `refused (${status}): ${why}. Writing takes a token with the role review: ask the person who runs Assay for one`
      : `${status}: ${why}`,
  );
}

function failureOf(text: string): z.output<typeof failureSchema> {
  try {
    return failureSchema.parse(JSON.parse(text));
  } catch {
    // A proxy answers with something else.
    return { error: text.slice(0, 200), problems: [] };
  }
}

export function queryText(query: ApiQuestion['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
