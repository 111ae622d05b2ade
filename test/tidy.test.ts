/**
 * The house rules that a machine can hold. Each says the remedy when it breaks. Formatting, floating promises,
 * exhaustive switches and import cycles are the linter's.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const STAGES = [
  'receive',
  'journal',
  'kafka',
  'normalize',
  'assemble',
  'score',
  'store',
  'report',
  'detect',
  'ask',
  'calibrate',
  'compare',
  'mutate',
  'agent-runner',
];
const ROOMS = [...STAGES, 'model', 'engine', 'serve', 'offline', 'backtest', 'config', 'cli', 'instrument', 'vitest'];
const LINES_MAX = 500;

function filesUnder(folder: string, suffix: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) found.push(...filesUnder(file, suffix));
    else if (entry.name.endsWith(suffix)) found.push(file);
  }
  return found;
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

interface Import {
  readonly file: string;
  readonly from: string;
  readonly room: string;
  readonly target: string;
  readonly targetRoom: string | undefined;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  for (const match of read(file).matchAll(
    /(?:^|\n)\s*(?:import|export)[^;]*?from '([^']+)'|import\('([^']+)'\)|^import '([^']+)'/g,
  )) {
    const from = match[1] ?? match[2] ?? match[3] ?? '';
    const target = from.startsWith('.') ? path.normalize(path.join(path.dirname(file), from)) : from;
    found.push({
      file,
      from,
      room: file.split('/')[1] ?? '',
      target,
      targetRoom: from.startsWith('.') ? target.split('/')[1] : undefined,
    });
  }
  return found;
}

const sources = filesUnder('src', '.ts');
const imports = sources.flatMap(importsOf);

test('every folder of src is a word of the design', () => {
  const folders = readdirSync(path.join(ROOT, 'src'));

  expect(folders.filter((folder) => !ROOMS.includes(folder))).toEqual([]);
});

test('a stage imports the model and itself: to connect stages, do it in src/engine, src/serve or src/offline', () => {
  const broken = imports
    .filter(
      ({ room, targetRoom }) =>
        STAGES.includes(room) && targetRoom !== undefined && targetRoom !== room && targetRoom !== 'model',
    )
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

/** Each room that is not a stage, and the rooms of its kind that it may use besides stages, the model and the configuration. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  backtest: ['engine'],
  offline: ['engine', 'backtest', 'instrument'],
  serve: ['engine', 'backtest'],
};

test('the engine knows no log and no shell, and what serves knows nothing of recordings: move what both need down', () => {
  const broken = imports
    .filter(({ room, targetRoom }) => {
      const below = BELOW[room];
      if (below === undefined || targetRoom === undefined || targetRoom === room) return false;
      return ![...STAGES, 'model', 'config', ...below].includes(targetRoom);
    })
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

test('one machine and the cluster do not import each other: what both need belongs to src/serve', () => {
  const broken = imports
    .filter(
      ({ file, target }) =>
        (file.startsWith('src/serve/one-machine/') && target.startsWith('src/serve/cluster/')) ||
        (file.startsWith('src/serve/cluster/') && target.startsWith('src/serve/one-machine/')),
    )
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

test('the model imports nothing but itself: move what it needs into it, or out of it', () => {
  const broken = imports
    .filter(({ room, targetRoom }) => room === 'model' && targetRoom !== undefined && targetRoom !== 'model')
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

test('the instrumentation helper depends on the OpenTelemetry API only: applications load it', () => {
  const broken = imports
    .filter(
      ({ room, from, targetRoom }) =>
        room === 'instrument' &&
        !(from === '@opentelemetry/api' || targetRoom === 'instrument' || targetRoom === 'model'),
    )
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

test('our own modules are imported with their .ts suffix, node modules with node:', () => {
  const broken = imports
    .filter(({ from }) =>
      from.startsWith('.')
        ? !from.endsWith('.ts')
        : /^(fs|path|os|http|http2|zlib|crypto|util|events|stream|net|url|worker_threads|child_process)(\/|$)/.test(
            from,
          ),
    )
    .map(({ file, from }) => `${file} imports ${from}`);

  expect(broken).toEqual([]);
});

test('no file only passes on what others export: import from where a thing is', () => {
  const barrels = sources.filter((file) => {
    const code = read(file)
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    return code.length > 0 && code.every((line) => /^export (\*|\{|type \{)/.test(line));
  });

  expect(barrels).toEqual([]);
});

test('no file is called after nothing in particular: name it for its idea', () => {
  const vague = sources.filter((file) =>
    /(^|[-/])(utils?|helpers?|misc|common|manager|service-impl|types|constants)\.ts$/.test(file),
  );

  expect(vague).toEqual([]);
});

test('files are named in kebab-case', () => {
  const broken = sources.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.ts$/.test(path.basename(file)));

  expect(broken).toEqual([]);
});

test('a file of src begins with what it is for', () => {
  const bare = sources.filter((file) => !/^(#!.*\n)?\/\*\*?[\s\S]{20,}?\*\//.test(read(file)));

  expect(bare).toEqual([]);
});

test('a file that has grown past one idea is taken apart', () => {
  const long = sources.filter((file) => read(file).split('\n').length > LINES_MAX);

  expect(long).toEqual([]);
});

test('only the command line ends the process', () => {
  const broken = sources.filter(
    (file) => !file.startsWith('src/cli/') && /process\.(exit\(|exitCode)/.test(read(file)),
  );

  expect(broken).toEqual([]);
});

test('nothing is suppressed without a reason beside it', () => {
  const broken = [...sources, ...filesUnder('test', '.ts')]
    .filter((file) => file !== 'test/tidy.test.ts')
    .filter((file) =>
      /@ts-ignore|@ts-nocheck|@ts-expect-error(?! .{10})|biome-ignore [^:]+: *(\n|$)|catch \{\}/.test(read(file)),
    );

  expect(broken).toEqual([]);
});

test('no test is left out or alone', () => {
  const broken = filesUnder('test', '.test.ts')
    .filter((file) => file !== 'test/tidy.test.ts')
    .filter((file) => /\b(test|it|describe)\.(only|skip|todo)\(/.test(read(file)));

  expect(broken).toEqual([]);
});

test('time and chance come from outside where the result must not depend on them', () => {
  const pure = sources.filter((file) => /^src\/(normalize|assemble|score|detect|calibrate|mutate)\//.test(file));
  const broken = pure.filter((file) =>
    /Date\.now\(|Math\.random\(|setTimeout\(|setInterval\(|performance\.now\(|new Date\(\)/.test(read(file)),
  );

  expect(broken).toEqual([]);
});

test('nothing large or foreign is kept in the repository', () => {
  const large = ['src', 'test', 'bench', 'docs', 'suites', 'examples', 'scripts']
    .flatMap((folder) => filesUnder(folder, ''))
    .filter((file) => statSync(path.join(ROOT, file)).size > 600_000);

  expect(large).toEqual([]);
});
