/**
 * The site of the documentation, made from the same files in docs/: `npm run docs:site`. It loads nothing from other
 * hosts, and searches in the browser. A link to a page that does not exist fails the build.
 */
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

const DOCS = path.resolve(import.meta.dirname, '../../docs');
/** Pages are compiled, and packages are found from below this folder only. Git ignores it. */
const COPY = path.resolve(import.meta.dirname, '../docs');
const FOLDERS = { start: 'Start', score: 'Score', operate: 'Operate', reference: 'Reference' };
/** Quickstarts come first, all else by its heading. */
const FIRST = ['quickstart.md', 'operators.md', 'reviewers.md'];

rmSync(COPY, { recursive: true, force: true });
cpSync(DOCS, COPY, { recursive: true });

export default defineConfig({
  title: 'Assay',
  description: 'Online evaluator for LLM agents',
  srcDir: 'docs',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  // Without it browsers ask for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Addresses of the reader's own services.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // `<conversation>` and the like are text. Comments say why a snippet is not run, which no reader wants to see.
    html: false,
    config: (markdown) => {
      markdown.core.ruler.before('normalize', 'comments', (state) => {
        state.src = state.src.replaceAll(/^ *<!--.*?-->$/gm, '');
      });
      markdown.core.ruler.push('links', (state) => {
        const { realPath, path: page } = state.env as { readonly realPath?: string; readonly path: string };
        const folder = path.join(DOCS, path.relative(COPY, path.dirname(realPath ?? page)));
        for (const token of state.tokens) {
          asText(token.children ?? [], folder);
          // The highlighter does not know it.
          if (token.info === 'promql') token.info = 'txt';
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      ...Object.entries(FOLDERS).map(([folder, text]) => ({ text, items: pagesOf(folder) })),
      { text: 'Runbooks', collapsed: true, items: pagesOf('runbooks') },
      { text: 'Decisions', collapsed: true, items: pagesOf('decisions') },
    ],
  },
});

function pagesOf(folder: string): DefaultTheme.SidebarItem[] {
  const files = globSync('*.md', { cwd: path.join(DOCS, folder) }).toSorted();
  const first = FIRST.filter((file) => files.includes(file));
  return [...first, ...files.filter((file) => !first.includes(file))].map((file) => ({
    text: headingOf(path.join(DOCS, folder, file)),
    link: `/${folder}/${path.parse(file).name}`,
  }));
}

function headingOf(file: string): string {
  const [, heading = path.parse(file).name] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  return heading.replaceAll('`', '');
}

interface Token {
  type: string;
  content: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** Makes text of links to files of the project that are no pages, because the site does not have them. */
function asText(tokens: Token[], folder: string): void {
  let isInside = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isInside = isNoPage(token.attrGet('href') ?? '', folder);
    // Vue would evaluate braces in it.
    if (token.type === 'code_inline') token.attrSet('v-pre', '');
    const isLink = token.type === 'link_open' || token.type === 'link_close';
    if (!isInside || !isLink) continue;
    if (token.type === 'link_close') isInside = false;
    token.type = 'text';
    token.content = '';
  }
}

function isNoPage(link: string, folder: string): boolean {
  const [file = ''] = link.split('#');
  if (file === '' || /^[a-z]+:/.test(file)) return false;
  const target = path.resolve(folder, decodeURI(file));
  return existsSync(target) && !(target.startsWith(`${DOCS}/`) && target.endsWith('.md'));
}
