/** Reads on which packages a project depends, and its name and version. Nothing of the project is run. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { compileGlob } from '../../model/glob.ts';
import { tryParseJson } from '../../model/json.ts';
import { FRAMEWORKS, type Framework, type Language } from './frameworks.ts';

export interface Project {
  readonly name: string;
  readonly version: string;
  /** Languages of which there are files. */
  readonly languages: readonly Language[];
  readonly frameworks: readonly Framework[];
  /** Packages that may set OpenTelemetry up already. */
  readonly telemetry: Readonly<Record<Language, readonly string[]>>;
}

/** Versions by the name of the package, as they are written or installed; empty where none is. */
type Packages = ReadonlyMap<string, string>;

const FILE_BYTES_MAX = 32 << 20;
const NAME_MAX = 80;
const TELEMETRY: Readonly<Record<Language, readonly string[]>> = {
  python: ['opentelemetry-sdk', 'opentelemetry-distro', 'arize-phoenix-otel', 'logfire', 'langfuse'],
  javascript: ['@opentelemetry/sdk-*', '@vercel/otel', '@arizeai/phoenix-otel', '@langfuse/otel'],
};
const DECLARED = ['requirements*.txt', 'requirements/*.txt', 'pyproject.toml', 'Pipfile', 'setup.cfg'];
const LOCKED = ['uv.lock', 'poetry.lock', 'Pipfile.lock'];

export function readProject(folder: string): Project {
  const manifest = manifestIn(folder);
  const packages: Record<Language, Packages> = {
    javascript: manifest === undefined ? new Map() : npmPackages(folder, manifest),
    python: pythonPackages(folder),
  };
  const telemetryIn = (language: Language) =>
    TELEMETRY[language].flatMap((glob) => [...packages[language].keys()].filter(compileGlob(glob)));
  const pyproject = textsIn(folder, ['pyproject.toml']).join('\n');
  return {
    name: plain(manifest?.name ?? valueIn(pyproject, 'name')) || plain(path.basename(folder)) || 'my-agent',
    version: plain(manifest?.version ?? valueIn(pyproject, 'version')) || 'dev',
    languages: [
      ...(globSync('*.py', { cwd: folder }).length > 0 || packages.python.size > 0 ? (['python'] as const) : []),
      ...(packages.javascript.size > 0 ? (['javascript'] as const) : []),
    ],
    frameworks: withoutRecorded(FRAMEWORKS.filter((one) => isUsed(one, packages[one.language]))),
    telemetry: { python: telemetryIn('python'), javascript: telemetryIn('javascript') },
  };
}

/** Leaves out those whose calls another one that was found records. */
export function withoutRecorded(found: readonly Framework[]): readonly Framework[] {
  return found.filter(
    ({ id, language }) =>
      !found.some((other) => other.language === language && other.id !== id && isRecordedBy(other, id)),
  );
}

function isRecordedBy({ records = [] }: Framework, id: string): boolean {
  return records.includes(id) || records.includes('*');
}

function isUsed({ packages: globs, isMajor = () => true }: Framework, packages: Packages): boolean {
  return globs.some((glob) => {
    const [name] = [...packages.keys()].filter(compileGlob(glob));
    if (name === undefined) return false;
    const major = /\d+/.exec(packages.get(name) ?? '')?.[0];
    // A version that is not said is the newest.
    return isMajor(major === undefined ? Number.POSITIVE_INFINITY : Number(major));
  });
}

const versions = z.record(z.string(), z.string()).catch({});
const manifestSchema = z.object({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
});

function manifestIn(folder: string): z.output<typeof manifestSchema> | undefined {
  const [text] = textsIn(folder, ['package.json']);
  return text === undefined ? undefined : manifestSchema.safeParse(tryParseJson(text)).data;
}

function npmPackages(folder: string, manifest: z.output<typeof manifestSchema>): Packages {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const written = { ...peerDependencies, ...optionalDependencies, ...devDependencies, ...dependencies };
  // Assay itself is often the only package of npm in a project in Python.
  const others = Object.entries(written).filter(([name]) => name !== 'assay');
  return new Map(others.map(([name, range]) => [name, installedVersion(folder, name) ?? range]));
}

export function installedVersion(folder: string, name: string): string | undefined {
  return manifestIn(path.join(folder, 'node_modules', name))?.version;
}

/** Locks name the dependencies of dependencies as well, and imports no versions: each counts where nothing better is. */
function pythonPackages(folder: string): Packages {
  const declared = namesIn(textsIn(folder, DECLARED), /(?:^[ \t]*|["'])([A-Za-z][\w.-]*)/gm);
  const locked = () => namesIn(textsIn(folder, LOCKED), /^name = "([^"]+)"|^ {8}"([^"]+)": \{/gm);
  const imported = () => namesIn(textsIn(folder, ['*.py']), /^[ \t]*(?:from|import)[ \t]+(\w+)/gm);
  const known = FRAMEWORKS.flatMap(({ language, packages }) => (language === 'python' ? packages : [])).map(
    compileGlob,
  );
  const isTelling = (names: readonly string[]) => names.some((name) => known.some((matches) => matches(name)));
  const names = [() => declared, locked, imported].map((read) => read()).find(isTelling) ?? declared;
  return new Map(names.map((name) => [name, '']));
}

/** Names as PyPI compares them. */
function namesIn(texts: readonly string[], pattern: RegExp): readonly string[] {
  const found = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? ''));
  return found.map((name) => name.toLowerCase().replaceAll(/[-_.]+/g, '-'));
}

function textsIn(folder: string, globs: readonly string[]): readonly string[] {
  const files = globSync(globs, { cwd: folder }).map((file) => path.join(folder, file));
  return files
    .filter((file) => existsSync(file) && statSync(file).isFile() && statSync(file).size <= FILE_BYTES_MAX)
    .map((file) => readFileSync(file, 'utf8'));
}

function valueIn(toml: string, key: string): string | undefined {
  return new RegExp(`^${key}[ \\t]*=[ \\t]*["']([^"']*)`, 'm').exec(toml)?.[1];
}

/** Written into files of three languages, so without anything that one of them reads. */
function plain(text: string | undefined): string {
  return (text ?? '').replaceAll(/[^\w.@/-]+/g, '-').slice(0, NAME_MAX);
}
