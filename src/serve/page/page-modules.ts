/**
 * The modules of the page as a browser loads them. There is no bundler: a browser gets the files that are read here, from
 * a clone with their types and their JSX compiled away, from an installed package as they are. Which files those are
 * follows from their imports, beginning with the views; nothing else of `src` is served.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface PageModule {
  /** Path of its address, such as `/page/shell/main.tsx`. */
  readonly address: string;
  readonly code: string;
  /** Addresses of the modules that a browser loads with it, without those that it loads later by `import()`. */
  readonly imports: readonly string[];
}

/** Modules of packages, by the name under which the page imports them. Nothing else of node_modules is served. */
const VENDOR = {
  preact: { address: '/page/vendor/preact.mjs', specifier: 'preact' },
  'preact/jsx-runtime': { address: '/page/vendor/preact-jsx-runtime.mjs', specifier: 'preact/jsx-runtime' },
  'preact/hooks': { address: '/page/vendor/preact-hooks.mjs', specifier: 'preact/hooks' },
  marked: { address: '/page/vendor/marked.mjs', specifier: 'marked' },
  uplot: { address: '/page/vendor/uplot.mjs', specifier: 'uplot/dist/uPlot.esm.js' },
} as const;

const SOURCES = path.resolve(import.meta.dirname, '../..');
/** A clone has sources, an installed package what `tsc` made of them. */
const IS_CLONE = path.extname(import.meta.filename) === '.ts';
/** Suffix of modules that show something. */
export const SUFFIX = IS_CLONE ? '.tsx' : '.js';

export function vendorFile(specifier: string): string {
  return fileURLToPath(import.meta.resolve(specifier));
}

/** Names that the import map has to give, with their addresses. */
export function vendorAddresses(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(VENDOR).map(([name, { address }]) => [name, address]));
}

/** All modules that can be reached from the entries, by address. Rejects where a file is missing or no TypeScript. */
export async function readPageModules(entries: readonly string[]): Promise<ReadonlyMap<string, PageModule>> {
  const scriptOf = IS_CLONE ? await transform() : (_file: string, text: string) => text;
  const modules = new Map<string, PageModule>();
  const pending = [...entries];
  for (let address = pending.pop(); address !== undefined; address = pending.pop()) {
    if (modules.has(address)) continue;
    const { code, imports, later } = readModule(address, scriptOf);
    modules.set(address, { address, code, imports });
    pending.push(...imports, ...later);
  }
  return modules;
}

type ScriptOf = (file: string, text: string) => string;

function readModule(address: string, scriptOf: ScriptOf): PageModule & { readonly later: readonly string[] } {
  const vendored = Object.values(VENDOR).find((one) => one.address === address);
  if (vendored !== undefined) {
    const code = readFileSync(vendorFile(vendored.specifier), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
    return { address, code, imports: namedBy(code, STATIC).map((from) => resolved(from, address)), later: [] };
  }
  const code = scriptOf(address, readFileSync(path.join(SOURCES, address), 'utf8'));
  const imports = namedBy(code, STATIC).map((from) => resolved(from, address));
  const later = namedBy(code, DYNAMIC).map((from) => resolved(from, address));
  return { address, code, imports, later };
}

/** An import that is left after types are gone: at the start of a line, up to its `from`. */
const STATIC = /(?:^|[\n;])\s*(?:import|export)\b[^;'"()]*?\bfrom\s*["']([^"']+)["']/g;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

function namedBy(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map(([, from]) => from ?? '');
}

/** Throws for a package that is not in the list, so that the list stays whole. */
function resolved(from: string, importer: string): string {
  if (from.startsWith('.')) return path.posix.join(path.posix.dirname(importer), from);
  const found = new Map<string, { address: string }>(Object.entries(VENDOR)).get(from);
  if (found === undefined) throw new Error(`${importer} imports ${from}, which the page does not serve`);
  return found.address;
}

/** Compiles types and JSX away. A development dependency does it, which an installed package neither has nor needs. */
async function transform(): Promise<ScriptOf> {
  const rolldown = await import('rolldown/utils').catch((cause: unknown) => {
    throw new Error('the page of a clone needs the packages for development: run npm ci without --omit=dev', { cause });
  });
  return (file, text) => {
    const { code, errors } = rolldown.transformSync(file, text, { jsx: { importSource: 'preact' }, tsconfig: false });
    if (errors.length > 0) throw new Error(`compile ${file}: ${errors.map(({ message }) => message).join('; ')}`);
    return code;
  };
}
