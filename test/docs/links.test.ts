/** Links within the project lead to a file that exists, and to a heading of it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'src/**/*.md', 'clients/python/*.md'];
const LINK = /\]\(([^)\s]+)\)/g;

/** Links of a page that lead nowhere, as `page: link`. */
function deadLinksOf(page: string, markdown: string): readonly string[] {
  return [...withoutCode(markdown).matchAll(LINK)].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    if (/^[a-z]+:/.test(link)) return [];
    const target = file === '' ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), file);
    if (!existsSync(target)) return [`${page}: ${link}`];
    const isThere = anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor);
    return isThere ? [] : [`${page}: ${link}`];
  });
}

/** As GitHub makes them of headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
}

test('no link of the documentation is dead', () => {
  const pages = globSync(PAGES, { cwd: ROOT, exclude: ['**/node_modules/**'] });

  expect(pages.length).toBeGreaterThan(100);
  expect(pages.flatMap((page) => deadLinksOf(page, readFileSync(path.join(ROOT, page), 'utf8')))).toEqual([]);
});

test('a dead link and a dead anchor are found', () => {
  const page = '# One\n\n[a](b.md) [c](../README.md#nowhere) [e](https://example.com)\n';

  expect(deadLinksOf('docs/README.md', page)).toEqual(['docs/README.md: b.md', 'docs/README.md: ../README.md#nowhere']);
});
