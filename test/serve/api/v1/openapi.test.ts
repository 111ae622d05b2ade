/** The description of `/api/v1`: it has every route and no other, and real answers are as it says. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROCESS_ROUTES } from '../../../../src/serve/api/routes.ts';
import { STORE_ROUTES } from '../../../../src/serve/http/store-routes.ts';
import { filledService, get } from './filled-service.ts';

const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.literal('Assay'), version: z.literal('test') }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        requestBody: z.unknown().optional(),
        parameters: z.array(z.object({ name: z.string(), in: z.enum(['path', 'query']), required: z.boolean() })),
        responses: z.object({
          200: z.object({ content: z.record(z.string(), z.object({ schema: z.looseObject({}) })) }),
        }),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
});

test('the description has every route of /api/v1 and no other, and answers of a filled store are as it says', {
  timeout: 60_000,
}, async () => {
  const running = await filledService();
  const { body } = await get(running, '/api/v1/openapi.json');
  const document = documentSchema.parse(body);

  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = [...PROCESS_ROUTES, ...STORE_ROUTES]
    .filter(({ path }) => path.startsWith('/api/v1/'))
    .map(({ method, path }) => `${method} ${path.replaceAll('...}', '}')}`);
  expect(described.toSorted()).toEqual(routes.toSorted());
  // The running service answers each of them, in its own way, and lists it.
  const index = await (await fetch(`${running.http}/`)).text();
  for (const route of described) expect(index).toContain(route.replaceAll(/\{(\w+)\}/g, '<$1>'));
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  expect(new Set(ids).size).toBe(ids.length);

  const answers: Readonly<Record<string, readonly string[]>> = {
    '/api/v1/service': [''],
    '/api/v1/judges': [''],
    '/api/v1/judging': [''],
    '/api/v1/conversations': ['', '?order=worst&limit=1', '?state=open'],
    '/api/v1/conversations/{conversation}': ['asked%2F1%20%C3%BC', 'long', 'many?provenance=true', 'none'],
    '/api/v1/text/{conversation}': [`none?field=asked&of=${await aTurnOf(running, 'none')}`],
    '/api/v1/export': [
      '',
      '?outcome=hard_failure',
      '?words=nothing-of-that-kind',
      '?table=evaluations',
      '?table=verdicts',
    ],
    '/api/v1/excerpts/{conversation}': ['many?words=and'],
    '/api/v1/sources/{conversation}': [`many?of=${await aStepOf(running, 'many')}`],
    '/api/v1/golden-comparison/{conversation}': ['none'],
    '/api/v1/facets': [''],
    '/api/v1/exporters': [''],
    '/api/v1/feedback': ['', '?agent=nobody'],
    '/api/v1/suites': ['', '?agent=nobody'],
    '/api/v1/trend': ['', '?by=agent_version&since=7d', '?agent=nobody'],
    '/api/v1/fleet': ['', '?since=7d&suite=calls', '?environment=nowhere'],
    '/api/v1/moved': ['', '?version=v2&against_version=v1'],
    '/api/v1/estimate': ['?agent=helper&explain=true', '?agent=nobody'],
    '/api/v1/failures': ['?agent=helper', '?agent=nobody'],
    '/api/v1/criteria/learned': ['?agent=helper', '?agent=nobody'],
    '/api/v1/readings': ['?agent=helper', '?agent=nobody'],
    '/api/v1/readings/queue': ['?agent=helper&by=ana', '?agent=nobody'],
    '/api/v1/finds': ['?agent=helper', '?agent=nobody&since=1h'],
    '/api/v1/common': ['', '?outcome=hard_failure', '?agent=nobody'],
    '/api/v1/sub-agents': ['', '?agent=nobody'],
    '/api/v1/detections': [''],
    '/api/v1/review/queue': ['?suite=calls&criterion=looked', '?suite=calls&criterion=few&because=little_decided'],
    '/api/v1/review/agreement': ['?suite=calls&criterion=looked'],
    '/api/v1/versions/compare': ['?agent=helper&a=v1&b=v2', '?agent=nobody&a=v1&b=v2'],
    '/api/v1/experiments': ['', '?limit=1'],
    '/api/v1/experiments/{experiment}': ['after'],
    '/api/v1/experiments/compare': ['?a=before&b=after'],
    '/api/v1/experiments/compare/case': ['?a=before&b=after&case=case-1'],
    '/api/v1/experiments/gate': ['?candidate=after&baseline=before'],
  };
  const withSchema = Object.entries(document.paths).filter(([, { get: read }]) =>
    Object.values(read?.responses[200].content ?? {}).some(({ schema }) => schema.$ref !== undefined),
  );
  expect(withSchema.map(([path]) => path).toSorted()).toEqual(Object.keys(answers).toSorted());
  for (const [path, { get: read }] of withSchema) {
    const [[type, { schema: named }] = ['', { schema: {} }]] = Object.entries(read?.responses[200].content ?? {});
    const name = String(named.$ref).replace('#/components/schemas/', '');
    const schema = z.fromJSONSchema(document.components.schemas[name] ?? {});
    // An unknown field is a mistake.
    expect([path, schema.safeParse({ unknown: 1 }).success]).toEqual([path, false]);
    for (const query of answers[path] ?? []) {
      const place = path.includes('{') ? path.replace(/\{\w+\}/, query) : `${path}${query}`;
      const response = await fetch(`${running.http}${place}`);
      const text = await response.text();
      for (const one of type === 'application/jsonl' ? text.split('\n').filter(Boolean) : [text]) {
        const checked = schema.safeParse(JSON.parse(one));
        expect([place, response.status, checked.error?.issues ?? []]).toEqual([place, 200, []]);
      }
    }
  }
  // A question that is too long for a query has its shape as well.
  const asked = document.paths['/api/v1/what-if']?.post;
  expect(JSON.stringify(asked?.requestBody)).toContain('"weights"');
  const answer = await fetch(`${running.http}/api/v1/what-if`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ suite: 'calls', weights: { looked: 0.1 } }),
  });
  const weighed = z.fromJSONSchema(document.components.schemas.post_what_if ?? {});
  expect([answer.status, weighed.safeParse(await answer.json()).error?.issues ?? []]).toEqual([200, []]);
  expect(weighed.safeParse({ unknown: 1 }).success).toBe(false);

  const failure = z.fromJSONSchema(document.components.schemas.failure ?? {});
  for (const place of ['/api/v1/conversations?limit=0', '/api/v1/conversations/nobody', '/api/v1/trend?suite=x'])
    expect(failure.safeParse((await get(running, place)).body).success).toBe(true);

  // Parameters are those of the schema: an unknown one is refused, and a known one is described.
  const list = document.paths['/api/v1/conversations']?.get?.parameters.map(({ name }) => name);
  expect(list).toContain('decided_below');
  expect(list).not.toContain('before');
});

async function aTurnOf(running: Parameters<typeof get>[0], id: string): Promise<string> {
  const { body } = await get(running, `/api/v1/conversations/${id}`);
  const turns = z.object({ turn_list: z.array(z.object({ turn_id: z.string() })) }).parse(body).turn_list;
  return encodeURIComponent(turns[0]?.turn_id ?? '');
}

async function aStepOf(running: Parameters<typeof get>[0], id: string): Promise<string> {
  const { body } = await get(running, `/api/v1/conversations/${id}`);
  const steps = z.array(z.object({ steps: z.array(z.object({ step_id: z.string() })) }));
  const turns = z.object({ turn_list: steps }).parse(body).turn_list;
  return encodeURIComponent(turns[0]?.steps[0]?.step_id ?? '');
}
