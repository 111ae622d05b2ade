/**
 * A route of `/api/v1` that is read from the store, with the shapes of its query and its answer. A parameter that is a
 * list may be given several times; any other only once.
 */
import { z } from 'zod';
import { type Answer, jsonAnswer, mistakesAnswer } from '../../../report/http/answer.ts';
import type { RemoteRead } from '../../../report/http/route.ts';

interface V1Read<S, Query extends z.ZodObject, Shape extends z.ZodType> {
  readonly path: string;
  readonly summary: string;
  readonly query: Query;
  readonly answer: Shape;
  /** An `Answer` where there is none of that shape. */
  readonly read: (
    side: S,
    query: z.output<Query>,
    parameters: ReadonlyMap<string, string>,
  ) => Promise<z.input<Shape> | Refusal>;
}

/** An answer with another status. */
export class Refusal {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

export function v1Read<S, Query extends z.ZodObject, Shape extends z.ZodType>({
  path,
  summary,
  query,
  answer,
  read,
}: V1Read<S, Query, Shape>): RemoteRead<S> {
  return {
    method: 'GET',
    may: 'read',
    takes: 'read',
    path,
    summary,
    shapes: { query, answer },
    handle: async (side, { query: asked, parameters }) => {
      const given = givenIn(asked, query);
      const parsed = query.safeParse(given);
      if (!parsed.success) return mistakesAnswer('query', parsed.error, given);
      const result = await read(side, parsed.data, parameters);
      return result instanceof Refusal ? result.answer : jsonAnswer(200, result);
    },
  };
}

export function givenIn(asked: URLSearchParams, { shape }: z.ZodObject): Record<string, unknown> {
  const given = Object.create(null) as Record<string, unknown>;
  for (const name of new Set(asked.keys())) {
    const values = asked.getAll(name);
    const known: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
    given[name] = values.length > 1 || (known instanceof z.ZodType && isList(known)) ? values : values[0];
  }
  return { ...given };
}

function isList(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly || schema instanceof z.ZodDefault) {
    const inner: unknown = schema.unwrap();
    return inner instanceof z.ZodType && isList(inner);
  }
  return false;
}
