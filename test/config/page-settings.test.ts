import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { dashboardLink } from '../../src/model/dashboard-link.ts';
import { traceLink } from '../../src/model/trace-link.ts';
import { tempDirectory } from '../temp-directory.ts';

function load(traceUrl: string) {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'assay.yaml'), JSON.stringify({ page: { trace_url: traceUrl } }));
  const { settings, mistakes } = loadSettings({ flags: {}, env: {}, cwd });
  return { traceUrl: settings.page.traceUrl, mistakes: mistakes.map(({ path: at, expected }) => `${at}: ${expected}`) };
}

const PLACE = {
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  span_id: 'b7ad6b7169203331',
  start_ms: 1_790_000_000_000,
  end_ms: 1_790_000_004_000,
  conversation_id: `a/b?c&d="e'f)`,
};

test('there is no template unless one is given, and a variable gives one', () => {
  const cwd = tempDirectory();
  const read = (env: { readonly [name: string]: string }) => loadSettings({ flags: {}, env, cwd }).settings.page;
  expect(read({}).traceUrl).toBeUndefined();
  expect(read({ ASSAY_PAGE_TRACE_URL: '' }).traceUrl).toBeUndefined();
  expect(read({ ASSAY_PAGE_TRACE_URL: 'http://j/{trace_id}' }).traceUrl).toBe('http://j/{trace_id}');
});

test.for([
  ['http://jaeger:16686/trace/{trace_id}', 'http://jaeger:16686/trace/0af7651916cd43dd8448eb211c80319c'],
  [
    'https://g.example/explore?left={"from":"{start_ms}","to":"{end_ms}","q":"{trace_id}"}#{span_id}',
    'https://g.example/explore?left={"from":"1789999940000","to":"1790000064000","q":"0af7651916cd43dd8448eb211c80319c"}#b7ad6b7169203331',
  ],
  ['https://p.example/s/{conversation_id}', 'https://p.example/s/a%2Fb%3Fc%26d%3D%22e%27f%29'],
] as const)('%s leads to the place, with values percent-encoded', ([template, link]) => {
  expect(load(template)).toEqual({ traceUrl: template, mistakes: [] });
  expect(traceLink(template, PLACE)).toBe(link);
});

test('a text that is no text of Unicode breaks nothing, and a step without a span has no link to a span', () => {
  expect(traceLink('http://p/{conversation_id}', { ...PLACE, conversation_id: '\ud800$&' })).toBe(
    'http://p/%EF%BF%BD%24%26',
  );
  expect(traceLink('http://p/{trace_id}', { ...PLACE, span_id: undefined })).toBe(`http://p/${PLACE.trace_id}`);
  expect(traceLink('http://p/{trace_id}/{span_id}', { ...PLACE, span_id: undefined })).toBeUndefined();
});

test.for([
  ['javascript:alert("{trace_id}")', /an http or https address with \{trace_id\}, .*\{conversation_id\}, such as/],
  ['jaeger:16686/{trace_id}', /an http or https address/],
  ['/trace/{trace_id}', /an http or https address/],
  ['https://x.example/{traceid}', /and not \{traceid\}; did you mean \{trace_id\}\?/],
  ['https://x.example/{trace-id}', /and not \{trace-id\}/],
  ['https://x.example/', /without an id every link would lead to the same place/],
  ['https://x.example/{start_ms}', /without an id/],
  ['https://{conversation_id}.example/', /names in braces behind the host only/],
  ['https://x.example:{trace_id}/', /http or https address|behind the host/],
  ['https://ana:geheim@x.example/{trace_id}', /without a user name and a password/],
  [`https://x.example/{trace_id}?${'a'.repeat(2000)}`, /at most 2000 characters/],
] as const)('%s is refused at the start, and the message says what is taken', ([template, message]) => {
  const { mistakes } = load(template);

  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toMatch(/^page\.trace_url: /);
  expect(mistakes[0]).toMatch(message);
});

test('a template of dashboards takes the suite, the agent and the time, and needs none of them', () => {
  const template = 'https://g.example/d/x?var-suite={suite}&var-agent={agent}&from={from_ms}&to={to_ms}';
  const read = (url: string) => {
    const { settings, mistakes } = loadSettings({
      ...{ flags: {}, cwd: tempDirectory() },
      env: { ASSAY_PAGE_DASHBOARD_URL: url },
    });
    return mistakes.length === 0 ? settings.page.dashboardUrl : mistakes.map(({ expected }) => expected).join();
  };

  expect(read('')).toBeUndefined();
  expect(read('https://g.example/d/x')).toBe('https://g.example/d/x');
  expect(read(template)).toBe(template);
  expect(read('https://g.example/{suit}')).toMatch(/and not \{suit\}; did you mean \{suite\}\?/);
  expect(read('ftp://g.example/')).toMatch(/an http or https address/);
  expect(dashboardLink(template, { suite: 'a b', agent: '"x"&y', environment: '', from: 1, to: 2 })).toBe(
    'https://g.example/d/x?var-suite=a%20b&var-agent=%22x%22%26y&from=1&to=2',
  );
});
