/**
 * npm run pack:packages -- [otlp normalize redact reader] [--out release]
 * Packs folders of src that are useful by themselves, each as a package of npm: its compiled files, those that it
 * imports, their types, and its README. Publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '..');
const PACKAGES = {
  otlp: 'Reads and writes OTLP traces and logs, protobuf and JSON, without decoding what nobody asks for.',
  normalize: 'Spans of LLM frameworks as model calls, tool calls and agents, whatever convention they follow.',
  redact: 'Finds and replaces personal data and credentials in text, JSON, URLs, SQL and OTLP requests.',
  reader: 'Conversations of LLM agents, read from recorded OTLP of any framework, as JSON of a stable shape.',
} as const;
type Name = keyof typeof PACKAGES;
/** Modules that a package is imported by its name alone. */
const MAIN: { readonly [name in Name]?: string } = { reader: 'read-conversations' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'release' } },
});
const wanted = positionals.length === 0 ? (Object.keys(PACKAGES) as Name[]) : positionals.map(known);
mkdirSync(values.out, { recursive: true });
for (const name of wanted) process.stdout.write(`${pack(name, path.resolve(values.out))}\n`);

function known(name: string): Name {
  if (!Object.hasOwn(PACKAGES, name)) throw new Error(`${name}: one of ${Object.keys(PACKAGES).join(', ')}`);
  // The cast holds because the table has it.
  return name as Name;
}

function pack(name: Name, out: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `assay-${name}-`));
  try {
    compile(name, folder);
    copyFileSync(path.join(ROOT, 'src', name, 'README.md'), path.join(folder, 'README.md'));
    copyFileSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(name, folder), undefined, 2)}\n`);
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
      cwd: folder,
      encoding: 'utf8',
    });
    return path.join(out, packed.trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The folder's files, and by themselves those that they import. */
function compile(name: Name, folder: string): void {
  const config = path.join(folder, 'tsconfig.json');
  const compilerOptions = { outDir: path.join(folder, 'dist'), rootDir: path.join(ROOT, 'src'), declaration: true };
  writeFileSync(
    config,
    JSON.stringify({
      extends: path.join(ROOT, 'tsconfig.build.json'),
      compilerOptions: { ...compilerOptions, typeRoots: [path.join(ROOT, 'node_modules/@types')] },
      include: [path.join(ROOT, 'src', name)],
    }),
  );
  execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' });
  rmSync(config);
}

function manifest(name: Name, folder: string): object {
  const { version, license, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const imported = globSync('dist/**/*.js', { cwd: folder }).flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(([, from = '']) => from),
  );
  const used = Object.entries(dependencies).filter(([one]) => imported.includes(one));
  return {
    name: `assay-${name}`,
    version,
    description: PACKAGES[name],
    license,
    type: 'module',
    engines: { node: '>=22' },
    exports: {
      ...(MAIN[name] !== undefined && { '.': files(name, MAIN[name]) }),
      ...{ './model/*': files('model'), './*': files(name) },
    },
    files: ['dist'],
    ...(used.length > 0 && { dependencies: Object.fromEntries(used) }),
  };
}

function files(folder: string, file = '*'): { readonly types: string; readonly default: string } {
  return { types: `./dist/${folder}/${file}.d.ts`, default: `./dist/${folder}/${file}.js` };
}
