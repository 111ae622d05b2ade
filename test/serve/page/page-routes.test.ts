import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { OPEN_TO_ALL } from '../../../src/model/access.ts';
import { VIEWS } from '../../../src/page/shell/views.ts';
import { PAGE_PATHS, PAGE_VIEWS } from '../../../src/model/page-views.ts';
import { startHttpServer } from '../../../src/report/http/http-server.ts';
import { pageHttp } from '../../../src/serve/page/page-routes.ts';
import { servePage } from '../../../src/serve/page/served-page.ts';
import { forFile, whenDone } from '../../for-file.ts';

const served = servePage();
const KIB = 1024;
const FIRST_VIEW_BYTES_MAX = 120_000;

async function start(access = OPEN_TO_ALL) {
  const { routes, home } = pageHttp();
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes,
    home,
    access,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  whenDone(() => server.stop());
  return (address: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
      // Not fetch, which corrects paths and undoes compression.
      const asked = request({ host: '127.0.0.1', port: server.port, path: address, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
      });
      asked.on('error', reject);
      asked.end();
    });
}

const shared = forFile(() => start());

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser gets the page at /, and a program the list of routes', async () => {
  const get = shared();

  const page = await get('/', BROWSER);
  const list = await get('/', { accept: '*/*' });

  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect([list.status, list.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(list.body.toString()).toContain('GET /conversations/<conversation>');
});

test('a runbook is served as text, by its name and no other path', async () => {
  const get = shared();

  const found = await get('/runbooks/AssayDown.md');
  const others = ['/runbooks/none.md', '/runbooks/..%2FARCHITECTURE.md', '/runbooks/__proto__', '/runbooks/a/b.md'];

  expect([found.status, found.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(found.body.toString()).toContain('# AssayDown');
  for (const address of others) expect([address, (await get(address)).status]).toEqual([address, 404]);
});

test.each(PAGE_VIEWS)('the view %s has its addresses, and its module is loaded with it', async (view) => {
  const get = shared();
  for (const address of PAGE_PATHS[view]) {
    const page = await get(address.replace('{conversation...}', 'a%2Fb%20%C3%BC'), BROWSER);

    expect([address, page.status]).toEqual([address, 200]);
    expect(page.body.toString()).toMatch(
      new RegExp(`<link rel="modulepreload" href="/page/${view}/${view}\\.tsx\\?v=`),
    );
  }
});

test('the policy allows scripts of this address and the import map, and nothing is written into the page besides', async () => {
  const { headers, body } = await shared()('/', BROWSER);
  const html = body.toString();
  const [, map = ''] = /<script type="importmap">(.*?)<\/script>/.exec(html) ?? [];

  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; " +
      `script-src 'self' 'sha256-${createHash('sha256').update(map).digest('base64')}'; ` +
      "style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  expect(headers['cache-control']).toBe('no-cache');
  expect(html.match(/<script(?![^>]*(?:src=|importmap))/g)).toBeNull();
  expect(html.match(/\sstyle=|<style|\son\w+=/g)).toBeNull();
  expect(html.match(/(?:src|href)="(?!\/)/g)).toBeNull();
});

test('every module, style and icon that the page names is there', async () => {
  const get = shared();
  const html = (await get('/', BROWSER)).body.toString();
  const [, map = '{}'] = /<script type="importmap">(.*?)<\/script>/.exec(html) ?? [];
  const { imports } = JSON.parse(map) as { imports: Record<string, string> };
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');

  for (const address of new Set([...named, ...Object.values(imports)])) {
    const { status, headers } = await get(address);
    expect([address, status, headers['cache-control']]).toEqual([address, 200, 'public, max-age=31536000, immutable']);
  }
  for (const [address, { code }] of await modules()) {
    for (const from of importedBy(code)) {
      const wanted = from.startsWith('.') ? path.posix.join(path.posix.dirname(address), from) : from;
      expect(imports, `${address} imports ${from}`).toHaveProperty([wanted]);
    }
  }
});

/** The text of each module, as a browser gets it. */
async function modules() {
  const { files } = await served;
  return [...files]
    .filter(([, { type }]) => type.startsWith('text/javascript'))
    .map(([address, { plain }]) => [address, { code: plain.toString() }] as const);
}

function importedBy(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\(\s*)["']([^"'\s]+)["']/g)].map(([, from]) => from ?? '');
}

test('modules have no types and no JSX left and name no files of this machine', async () => {
  for (const [address, { code }] of await modules()) {
    // A library has HTML in its texts.
    const isOurs = !address.startsWith('/page/vendor/');
    const isLeft = /^(?:import|export) type\b|^interface \w+|<\/\w+>[;)]?$/m.test(code);
    expect([address, isOurs && isLeft]).toEqual([address, false]);
    expect([address, code.includes(process.cwd()), /sourceMappingURL/.test(code)]).toEqual([address, false, false]);
  }
});

test.each(PAGE_VIEWS)('the first view takes at most 120 kB of compressed JavaScript: %s', async (view) => {
  const { documents, files } = await served;
  const html = documents.get(view)?.plain.toString() ?? '';
  const scripts = [...html.matchAll(/(?:modulepreload" href|<script type="module" src)="([^"?]+)\?/g)];
  const bytes = scripts.map(([, address = '']) => files.get(address)?.gzip.length ?? Number.NaN);

  expect(scripts.length).toBeGreaterThan(10);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(FIRST_VIEW_BYTES_MAX);
});

test('a file comes as small as the client can read it, and not at all if it has it', async () => {
  const get = shared();
  const plain = await get('/page/page.css');
  const brotli = await get('/page/page.css', { 'accept-encoding': 'gzip, deflate, br' });
  const zipped = await get('/page/page.css', { 'accept-encoding': 'gzip, br;q=0' });
  const etag = String(plain.headers.etag);

  const again = await get('/page/page.css', { 'if-none-match': `"other", W/${etag}` });
  const head = await get('/page/page.css', {}, 'HEAD');

  expect(plain.headers['content-encoding']).toBeUndefined();
  expect([brotli.headers['content-encoding'], brotliDecompressSync(brotli.body).equals(plain.body)]).toEqual([
    'br',
    true,
  ]);
  expect([zipped.headers['content-encoding'], gunzipSync(zipped.body).equals(plain.body)]).toEqual(['gzip', true]);
  expect([again.status, again.body.length, again.headers['content-length']]).toEqual([304, 0, undefined]);
  expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, `${plain.body.length}`]);
  expect(new Set([plain, brotli, zipped].map(({ headers }) => headers.etag)).size).toBe(1);
});

test('the style sheets of all components come in one file: those of the frame first, then of texts, then of views', async () => {
  const cwd = path.resolve(import.meta.dirname, '../../../src/page');
  const sheets = globSync('**/*.css', { cwd }).map(
    (file) => [file, readFileSync(path.join(cwd, file), 'utf8')] as const,
  );
  const css = (await shared()('/page/page.css')).body.toString();
  const inOrder = sheets.toSorted(([, a], [, b]) => css.indexOf(a) - css.indexOf(b)).map(([file]) => file);
  const folders = new Set(inOrder.map((file) => path.dirname(file)));

  expect(css.length).toBe(sheets.reduce((sum, [, text]) => sum + text.length, 0));
  expect(sheets.filter(([, text]) => !css.includes(text))).toEqual([]);
  expect(inOrder[0]).toBe('shell/base.css');
  expect([...folders].slice(0, 2)).toEqual(['shell', 'text']);
  expect(inOrder.findLastIndex((file) => /^(shell|text)/.test(file))).toBeLessThan(
    inOrder.findIndex((file) => !/^(shell|text)/.test(file)),
  );
});

test('an address with the version of another release is not kept for long', async () => {
  const get = shared();

  expect((await get('/page/page.css?v=other')).headers['cache-control']).toBe('no-cache');
});

test.each([
  '/page/../serve/page/page-routes.ts',
  '/page/%2e%2e/serve/page/page-routes.ts',
  '/page/..%2fserve%2fpage%2fpage-routes.ts',
  '/page/shell/../../serve/service.ts',
  '/page/vendor/../../../package.json',
  '/page//etc/passwd',
  '/page/',
  '/page/shell',
  '/page/constructor',
  '/model/access.ts',
  '/model/../access/guard.ts',
])('nothing else is served: %s', async (address) => {
  const { status, body } = await shared()(address);

  expect(status).toBe(404);
  expect(body.length).toBeLessThan(KIB);
});

test('the page is there for who is not known yet, because it has nothing of anybody', async () => {
  const nobody: typeof OPEN_TO_ALL = {
    decide: () => ({ allowed: false, status: 401, reason: 'no_token', message: 'a token is needed' }),
    clientOf: OPEN_TO_ALL.clientOf,
    knows: () => false,
  };
  const get = await start(nobody);

  const answers = [
    await get('/', BROWSER),
    await get('/conversations/a', BROWSER),
    await get('/page/page.css'),
    await get('/'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401]);
});

test('each view has a key of its own, and its path is among those that a proxy lets through', () => {
  const keys = Object.values(VIEWS).map(({ key }) => key);
  const documentation = readFileSync(path.resolve(import.meta.dirname, '../../../docs/reference/page.md'), 'utf8');

  expect(new Set(keys).size).toBe(keys.length);
  for (const view of PAGE_VIEWS) expect(documentation).toContain(`\`${PAGE_PATHS[view][0]}\``);
});
