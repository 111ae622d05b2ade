/** Import cycles. The linter finds those that exist at run time; these are found with imports of types as well. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

test('files do not import each other in a circle, not even types: move the type to the file that needs nothing of the other', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join('src', file));
  const graph = new Map(files.map((file) => [file, importedBy(file, readFileSync(path.join(ROOT, file), 'utf8'))]));

  expect(files.length).toBeGreaterThan(500);
  expect(circlesIn(graph)).toEqual([]);
});

test('a circle is found through types, re-exports and dynamic imports, and what only leads to it is no part of it', () => {
  const code = {
    'a/one.ts': "import type { Two } from '../b/two.ts';\nimport { leaf } from './leaf.ts';\n",
    'a/leaf.ts': "import { readFileSync } from 'node:fs';\nexport const leaf = 1;\n",
    'b/two.ts': "import {\n  type Three,\n} from './three.ts';\n",
    'b/three.ts': "export { One } from '../a/one.ts';\n",
    'c/start.ts': "const first = await import('../a/one.ts');\nimport '../c/other.ts';\n",
    'c/other.ts': "export const lazy = () => import('./start.ts');\n",
  };
  const graph = new Map(Object.entries(code).map(([file, text]) => [file, importedBy(file, text)]));

  expect(circlesIn(graph)).toEqual([
    ['a/one.ts', 'b/three.ts', 'b/two.ts'],
    ['c/other.ts', 'c/start.ts'],
  ]);
});

function importedBy(file: string, code: string): string[] {
  return [
    ...code.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)|(?:^|\n)import '(\.[^']+)'/g,
    ),
  ].map((match) => path.join(path.dirname(file), match[1] ?? match[2] ?? match[3] ?? ''));
}

/** Strongly connected components of more than one file, by Tarjan's algorithm. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const number = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const own = number.size;
    number.set(file, own);
    open.push(file);
    let lowest = own;
    for (const imported of graph.get(file) ?? []) {
      const known = number.get(imported);
      if (known === undefined && graph.has(imported)) lowest = Math.min(lowest, visit(imported));
      else if (known !== undefined && open.includes(imported)) lowest = Math.min(lowest, known);
    }
    if (lowest < own) return lowest;
    const members = open.splice(open.indexOf(file));
    if (members.length > 1) circles.push(members.toSorted());
    return lowest;
  };
  for (const file of graph.keys()) if (!number.has(file)) visit(file);
  return circles.toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}
