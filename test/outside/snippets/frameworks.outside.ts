/**
 * The TypeScript and Python of docs/start/frameworks.md, against the versions that the recordings were made with:
 * installed from npm and PyPI into a temporary folder, compiled, and run. Where spans come without a model, they must
 * arrive.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFramework } from '../../../scripts/capture/framework-file.ts';
import { allBlocks, type Block, placeOf, ROOT } from '../../snippets/blocks.ts';
import { type FrameworkSnippet, PYTHON, PYTHON_HEAD, TYPESCRIPT, TYPESCRIPT_HEAD } from './framework-snippets.ts';
import { shareOf } from '../share-of-round.ts';

const PAGE = 'docs/start/frameworks.md';
const run = promisify(execFile);
const base = mkdtempSync(path.join(tmpdir(), 'assay-snippets-'));
let receiver: Server;
let endpoint = '';
/** Requests with spans, by the folder of the block that sent them. */
let received = 0;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/v1/traces')) received += 1;
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('a server that listens has a port');
  endpoint = `http://127.0.0.1:${address.port}`;
  await run('python3', ['-m', 'venv', path.join(base, 'uv')]);
  await run(path.join(base, 'uv/bin/pip'), ['install', '--quiet', 'uv']);
});
afterAll(() => {
  receiver.close();
  rmSync(base, { recursive: true, force: true });
});

const blocksIn = (language: string) =>
  allBlocks().filter((block) => block.page === PAGE && block.language === language && block.notRun === undefined);

/** Each block with what is declared for it. */
function declared(language: string, snippets: readonly FrameworkSnippet[]) {
  return blocksIn(language).map((block) => {
    const fitting = snippets.filter(({ has }) => block.text.includes(has));
    return [placeOf(block), block, fitting] as const;
  });
}

test.each([
  ['ts', TYPESCRIPT],
  ['python', PYTHON],
])('each block of %s is declared once, and each declaration has its block', (language, snippets) => {
  const blocks = declared(language, snippets);

  expect(blocks.map(([place, , fitting]) => [place, fitting.length])).toEqual(blocks.map(([place]) => [place, 1]));
  expect(new Set(blocks.flatMap(([, , fitting]) => fitting)).size).toBe(snippets.length);
});

function packagesOf({ framework, without = [], with: besides = {} }: FrameworkSnippet): Record<string, string> {
  const { packages } = readFramework(framework);
  const needed = Object.entries(packages).filter(([name]) => !without.includes(name));
  return { ...Object.fromEntries(needed), ...besides };
}

const environment = (more: FrameworkSnippet['env'] = {}) => ({
  PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  HOME: base,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  ...more,
});

const tsconfig = ({ resolution }: FrameworkSnippet) => ({
  compilerOptions: {
    target: 'es2024',
    ...(resolution === 'bundler' ? { module: 'esnext', moduleResolution: 'bundler' } : { module: 'nodenext' }),
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  },
});

test.each(shareOf(declared('ts', TYPESCRIPT), 3))('%s compiles and runs', async (place, block, [snippet]) => {
  if (snippet === undefined) throw new Error(`${place} is not declared`);
  const folder = path.join(base, snippet.framework);
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packagesOf(snippet) }),
  );
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig(snippet)));
  writeFileSync(path.join(folder, 'snippet.ts'), asModule(block, snippet));
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'];
  await run('npm', [...npm, '--prefer-offline'], { cwd: folder });
  const before = received;

  const compiled = await run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    cwd: folder,
  }).catch((error: { readonly stdout: string }) => error);
  expect(compiled.stdout).toBe('');
  await run(process.execPath, ['snippet.ts'], { cwd: folder, env: environment(snippet.env), timeout: 60_000 });

  if (snippet.sends === true) expect(received).toBeGreaterThan(before);
  rmSync(folder, { recursive: true });
});

/** The page's endpoint is the receiver's. Some packages keep a timer alive, which a service does not mind. */
function asModule({ text }: Block, { before = '', after = '' }: FrameworkSnippet): string {
  const block = text.replaceAll('http://127.0.0.1:4318', endpoint);
  return `${TYPESCRIPT_HEAD}${before}${block}\n${after}process.exit(0);\nexport {};\n`;
}

test.each(shareOf(declared('python', PYTHON), 3))('%s runs', async (place, block, [snippet]) => {
  if (snippet === undefined) throw new Error(`${place} is not declared`);
  const folder = path.join(base, snippet.framework);
  const [uv, python] = [path.join(base, 'uv/bin/uv'), path.join(folder, 'bin/python')];
  await run(uv, ['venv', '--quiet', folder]);
  const pins = Object.entries(packagesOf(snippet)).map(([name, version]) => `${name}==${version}`);
  await run(uv, ['pip', 'install', '--quiet', '--python', python, ...pins]);
  const waits = /^\s*await /m.test(block.text);
  const body = waits
    ? `async def main():\n${block.text.replaceAll(/^/gm, '    ')}\nimport asyncio\nasyncio.run(main())\n`
    : `${block.text}\n`;
  const file = path.join(folder, 'snippet.py');
  writeFileSync(file, `${PYTHON_HEAD}${snippet.before ?? ''}${body}`);

  await run(python, [file], { cwd: folder, env: environment(snippet.env), timeout: 60_000 });

  rmSync(folder, { recursive: true });
});
