/**
 * `GET /api/v1/openapi.json`: the description of `/api/v1` in OpenAPI 3.1, made from the tables of routes and the schemas
 * that answers are held to. A route that has no schema is described in words.
 */
import { z } from 'zod';
import { failure } from '../../../api/shapes.ts';
import type { Role } from '../../../model/caller.ts';
import type { RouteShapes } from '../../../report/http/route.ts';

/** A row of any table of routes. */
interface DescribedRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly takes: Role | 'nothing';
  readonly shapes?: RouteShapes | undefined;
}

type JsonObject = { readonly [key: string]: unknown };

const PREFIX = '/api/v1/';
const FAILURE = { $ref: '#/components/schemas/failure' };

export function openApiOf(routes: readonly DescribedRoute[], version: string): JsonObject {
  const own = routes.filter(({ path }) => path.startsWith(PREFIX));
  const paths = Map.groupBy(own, ({ path }) => templateOf(path));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version,
      description:
        'Conversations, evaluations and figures of an Assay service. docs/reference/api.md shows how they are used.',
    },
    security: [{ token: [] }, {}],
    paths: Object.fromEntries(
      [...paths].map(([path, methods]) => [
        path,
        Object.fromEntries(methods.map((route) => [route.method.toLowerCase(), operationOf(route)])),
      ]),
    ),
    components: {
      schemas: {
        failure: schemaOf(failure, 'output'),
        ...Object.fromEntries(
          own.flatMap((route) =>
            route.shapes?.answer === undefined
              ? []
              : [[operationId(route), schemaOf(route.shapes.answer, 'output')] as const],
          ),
        ),
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'needed where access is configured: docs/operate/security.md',
        },
      },
    },
  };
}

function operationOf(route: DescribedRoute): JsonObject {
  const { method, path, summary, takes, shapes } = route;
  const hasBody = method === 'PUT' || method === 'POST';
  const body = shapes?.body === undefined ? {} : schemaOf(shapes.body, 'input');
  const { answer, type } = shapes ?? { answer: undefined };
  const schema = answer === undefined ? undefined : { $ref: `#/components/schemas/${operationId(route)}` };
  const content =
    type === undefined
      ? { 'application/json': { schema: schema ?? {} } }
      : { [type]: { schema: schema ?? { type: 'string' } } };
  return {
    operationId: operationId(route),
    summary: summary.replaceAll('\n', ' '),
    ...(takes === 'nothing' ? { security: [] } : { description: `Takes the role \`${takes}\`.` }),
    parameters: [...pathParameters(path), ...(shapes?.query === undefined ? [] : queryParameters(shapes.query))],
    ...(hasBody ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      200: { description: 'The answer.', content },
      default: {
        description: 'Why there is none: 400, 401, 403, 404, 429 or 503.',
        content: { 'application/json': { schema: FAILURE } },
      },
    },
  };
}

/** `/api/v1/conversations/{conversation}`: what is left of a path is one parameter, whose slashes are encoded. */
function templateOf(path: string): string {
  return path.replaceAll('...}', '}');
}

/** `get_conversations_conversation`. */
function operationId({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string {
  const words = path.slice(PREFIX.length).split(/\W+/).filter(Boolean);
  return [method.toLowerCase(), ...words].join('_');
}

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType): readonly JsonObject[] {
  const { properties, required } = querySchema.parse(schemaOf(query, 'input'));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }));
}

const querySchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.unknown() })).default({}),
  required: z.array(z.string()).default([]),
});

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    // `readonly` is for the compiler, and is not what JSON Schema calls by that name.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
  return rest;
}
