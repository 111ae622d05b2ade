/**
 * The packages that Assay ships with, and the licence of each with its text. A licence that nobody has allowed, and a package
 * without any, are mistakes: the build fails until somebody has looked.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** All allow to ship a copy under Apache-2.0 beside their own text. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
]);
const TEXT_FILE = /^(?:un)?(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: { readonly [name: string]: string };
}
export interface Lock {
  readonly packages: { readonly [place: string]: LockEntry };
}

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Licence and NOTICE files, in words of the package. */
  readonly texts: readonly string[];
}

/** Packages of production, those for other platforms included, because the lock file installs them there. */
export function shippedPackages(
  root: string,
  { packages }: Lock,
): { readonly shipped: readonly ShippedPackage[]; readonly mistakes: readonly string[] } {
  const mistakes: string[] = [];
  const shipped = Object.entries(packages).flatMap(([place, entry]): ShippedPackage | [] => {
    if (!place.startsWith('node_modules/') || entry.dev === true) return [];
    const name = nameIn(place);
    const { version = '', license: licence = '' } = entry;
    if (!ALLOWED.has(licence))
      mistakes.push(`${name}@${version}: the licence '${licence}' is not among those that are allowed`);
    const folder = path.join(root, place);
    const isHere = existsSync(folder);
    if (!isHere && entry.optional !== true) mistakes.push(`${name}@${version}: it is not installed, run npm ci first`);
    const own = isHere ? textsIn(folder) : [];
    const texts = own.length > 0 ? own : textsOfParent(root, packages, name);
    if (texts.length > 0 || licence !== 'MIT') {
      if (texts.length === 0 && isHere) mistakes.push(`${name}@${version}: it has no text of its licence`);
      return { name, version, licence, texts };
    }
    return { name, version, licence, texts: [mitOf(isHere ? authorIn(folder) : name)] };
  });
  return { shipped, mistakes };
}

export function nameIn(place: string): string {
  const folder = 'node_modules/';
  return place.slice(place.lastIndexOf(folder) + (place.includes(folder) ? folder.length : 0));
}

function textsIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((file) => TEXT_FILE.test(file));
  const texts = files.sort().map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  return texts.length > 0 ? texts : licenceInReadme(folder);
}

/** Some packages have the text at the end of their README alone. */
function licenceInReadme(folder: string): readonly string[] {
  const file = readdirSync(folder).find((name) => /^readme(?:\.|$)/i.test(name));
  const readme = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8');
  const [section] = /(?:^|\n)#+\s*licen[cs]e\b[\s\S]*$/i.exec(readme) ?? [];
  return section?.includes('Permission is hereby granted') === true ? [section.trim()] : [];
}

/** A package with a binary for one platform is a part of the package that names it. */
function textsOfParent(root: string, packages: Lock['packages'], name: string): readonly string[] {
  const parent = Object.entries(packages).find(
    ([place, { optionalDependencies }]) => place !== '' && optionalDependencies?.[name] !== undefined,
  );
  const folder = parent === undefined ? undefined : path.join(root, parent[0]);
  return folder === undefined || !existsSync(folder) ? [] : textsIn(folder);
}

function authorIn(folder: string): string {
  // The cast holds for every package that npm installs: this is its manifest.
  const { author, name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly author?: string | { readonly name?: string };
  };
  return (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;
}

/** For packages that name the licence and forgot its text. */
function mitOf(author: string): string {
  return `The MIT License (named in package.json; the package has no text of it)

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
