/**
 * The declaration in a framework's file: JSON in its first comment, between `capture` and the comment's end. It is the
 * same in JavaScript and Python, so that it can be read before the packages are installed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { APIS } from './apis/apis.ts';
import { SCENARIOS } from './scenarios.ts';

const variant = z.strictObject({
  api: z.enum(APIS.map(({ name }) => name) as [string, ...string[]]),
  note: z.string(),
  scenarios: z.array(z.enum(Object.keys(SCENARIOS) as [string, ...string[]])),
  contentCapture: z.boolean().default(true),
  env: z.record(z.string(), z.string()).default({}),
  settings: z.record(z.string(), z.unknown()).default({}),
});
const header = z.strictObject({
  /** The package whose version names the results' folder. */
  package: z.string(),
  packages: z.record(z.string(), z.string()),
  /** Names of environment variables to pass on from the caller; most are kept out. */
  variants: z.record(z.string(), variant),
});

export type Variant = z.infer<typeof variant>;

export interface Framework {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly language: 'javascript' | 'python';
  readonly packages: Readonly<Record<string, string>>;
  readonly variants: Readonly<Record<string, Variant>>;
}

const FOLDER = path.join(import.meta.dirname, 'frameworks');

export function frameworkNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => /\.(mjs|py)$/.test(file))
    .map((file) => path.parse(file).name)
    .toSorted();
}

export function readFramework(name: string): Framework {
  const file = readdirSync(FOLDER).find((entry) => path.parse(entry).name === name);
  if (file === undefined) throw new Error(`no framework «${name}»; there are ${frameworkNames().join(', ')}`);
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const written = /^(?:\/\* capture|""" ?capture)\n([\s\S]*?)\n(?:\*\/|""")/.exec(text)?.[1];
  if (written === undefined) throw new Error(`${file}: begins with no «capture» comment that holds JSON`);
  const parsed = header.safeParse(JSON.parse(written));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  const { packages, variants } = parsed.data;
  const version = packages[parsed.data.package];
  if (version === undefined) throw new Error(`${file}: «${parsed.data.package}» is not among its packages`);
  const language = file.endsWith('.py') ? 'python' : 'javascript';
  return { name, version, file: path.join(FOLDER, file), language, packages, variants };
}
