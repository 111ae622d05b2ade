/**
 * The templates in deploy/rollouts, read as their controllers document it: Argo Rollouts puts arguments into the URL, takes
 * `jsonPath` of the answer for `result`, and evaluates both conditions; Flagger posts its metadata, and reads the status.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { answersLike, VERSIONS } from './two-versions.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../deploy/rollouts');
const textOf = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

const template = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    args: z.array(z.object({ name: z.string(), value: z.string().optional() })),
    metrics: z.array(
      z.object({
        successCondition: z.string(),
        failureCondition: z.string(),
        provider: z.object({ web: z.object({ url: z.string(), jsonPath: z.string() }) }),
      }),
    ),
  }),
});

const canary = z.object({
  spec: z.object({
    analysis: z.object({
      webhooks: z.array(
        z.object({ name: z.string(), type: z.string(), url: z.string(), metadata: z.record(z.string(), z.string()) }),
      ),
    }),
  }),
});

/** Values that a pipeline passes on from its gate; the templates have none that promotes. */
const GATE = { evidence: '0.4', cases: 'kept' };

/** `result == "a"` and `result in ["a", "b"]`, of the language of conditions. */
function holds(condition: string, result: string): boolean {
  const [, is] = /^result == "(\w+)"$/.exec(condition) ?? [];
  const [, list] = /^result in (\[.*\])$/.exec(condition) ?? [];
  if (is !== undefined) return result === is;
  return z
    .array(z.string())
    .parse(JSON.parse(list ?? ''))
    .includes(result);
}

function measured(metric: z.infer<typeof template>['spec']['metrics'][number], answer: unknown): string {
  const names = /^\{\$((?:\.\w+)+)\}$/.exec(metric.provider.web.jsonPath)?.[1]?.split('.').slice(1) ?? [];
  const result = z.string().parse(names.reduce<unknown>((value, name) => z.looseObject({}).parse(value)[name], answer));
  if (holds(metric.failureCondition, result)) return 'Failed';
  return holds(metric.successCondition, result) ? 'Successful' : 'Inconclusive';
}

test('analyses of Argo Rollouts go on, wait, promote and end a canary', { timeout: 60_000 }, async () => {
  const { running } = await answersLike();
  const templates = parseAllDocuments(textOf('argo-analysis-template.yaml')).map((one) => template.parse(one.toJS()));

  const found: Record<string, Record<string, string>> = {};
  for (const { metadata, spec } of templates)
    for (const [called, [against, version]] of Object.entries(VERSIONS)) {
      const values = new Map(spec.args.map(({ name, value }) => [name, value]));
      for (const [name, value] of Object.entries({ service: running.http, agent: 'helper', version, against, ...GATE }))
        values.set(name, value);
      const [metric] = spec.metrics;
      const url = metric?.provider.web.url.replaceAll(
        /\{\{args\.(\w+)\}\}/g,
        (_, name: string) => values.get(name) ?? '?',
      );
      const answer = await fetch(url ?? '');
      expect(answer.status).toBe(200);
      const says = metric === undefined ? '' : measured(metric, await answer.json());
      found[metadata.name] = { ...found[metadata.name], [called]: says };
    }

  expect(found).toEqual({
    'assay-may-go-on': { worse: 'Failed', better: 'Successful', alike: 'Successful' },
    'assay-may-promote': { worse: 'Failed', better: 'Successful', alike: 'Inconclusive' },
  });
});

test('webhooks of Flagger go on, wait, promote and end a canary', { timeout: 60_000 }, async () => {
  const { running } = await answersLike();
  const { webhooks } = canary.parse(parse(textOf('flagger-canary.yaml'))).spec.analysis;

  const found: Record<string, Record<string, boolean>> = {};
  for (const { type, url, metadata } of webhooks)
    for (const [called, [against, version]] of Object.entries(VERSIONS)) {
      const body = {
        ...{ name: 'shop-agent', namespace: 'prod', phase: 'Progressing', checksum: '85d557f47b' },
        metadata: { ...metadata, agent: 'helper', version, against, ...GATE },
      };
      const answer = await fetch(`${running.http}${new URL(url).pathname}`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      });
      found[type] = { ...found[type], [called]: answer.ok };
    }

  expect(found).toEqual({
    rollout: { worse: false, better: true, alike: true },
    'confirm-promotion': { worse: false, better: true, alike: false },
    rollback: { worse: true, better: false, alike: false },
  });
});
