/**
 * The page, ready to be served: one document for each view, and its files by address, as they are and compressed (about
 * 700 KB).
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PAGE_VIEWS, type PageView } from '../../model/page-views.ts';
import { contentSecurityPolicy, pageDocument } from './page-document.ts';
import { type PageFile, type PageText, pageFile, versionOf } from './page-file.ts';
import { readPageModules, SUFFIX, vendorAddresses, vendorFile } from './page-modules.ts';

export interface ServedPage {
  readonly documents: ReadonlyMap<PageView, PageFile>;
  /** Files by address, without its version. */
  readonly files: ReadonlyMap<string, PageFile & { readonly version: string }>;
  readonly policy: string;
}

const PAGE_FOLDER = path.resolve(import.meta.dirname, '../../page');
const ENTRY = `/page/shell/main${SUFFIX}`;
const ICON = '/page/icon.svg';
const STYLES = ['/page/vendor/uplot.css', '/page/page.css'];
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const STYLE_TYPE = 'text/css; charset=utf-8';

export async function servePage(): Promise<ServedPage> {
  const modules = await readPageModules([ENTRY, ...PAGE_VIEWS.map(moduleOf)]);
  const texts = new Map<string, PageText>([
    ...[...modules].map(([address, { code }]) => [address, { type: SCRIPT_TYPE, text: code }] as const),
    ['/page/page.css', { type: STYLE_TYPE, text: styles() }],
    [
      '/page/vendor/uplot.css',
      { type: STYLE_TYPE, text: readFileSync(vendorFile('uplot/dist/uPlot.min.css'), 'utf8') },
    ],
    [ICON, { type: 'image/svg+xml', text: ownFile('icon.svg') }],
  ]);
  const versioned = (address: string) => `${address}?v=${versionOf(texts.get(address)?.text ?? '')}`;
  const importMap = Object.fromEntries([
    ...Object.entries(vendorAddresses()).map(([name, address]) => [name, versioned(address)]),
    ...[...modules.keys()].filter((address) => address !== ENTRY).map((address) => [address, versioned(address)]),
  ]);
  const importsOf = (address: string) => modules.get(address)?.imports ?? [];
  const documents = PAGE_VIEWS.map(async (view) => {
    const preload = [...loadedWith([ENTRY, moduleOf(view)], importsOf)].filter((address) => address !== ENTRY);
    const text = pageDocument({
      importMap,
      entry: versioned(ENTRY),
      styles: STYLES.map(versioned),
      icon: versioned(ICON),
      preload: preload.map(versioned),
    });
    return [view, await pageFile({ type: 'text/html; charset=utf-8', text })] as const;
  });
  const files = [...texts].map(async ([address, text]) => {
    return [address, { ...(await pageFile(text)), version: versionOf(text.text) }] as const;
  });
  return {
    documents: new Map(await Promise.all(documents)),
    files: new Map(await Promise.all(files)),
    policy: contentSecurityPolicy(importMap),
  };
}

function moduleOf(view: PageView): string {
  return `/page/${view}/${view}${SUFFIX}`;
}

/** All sheets of the page, in one file. Sheets of a view add to those of the frame and of texts, and not to each other. */
function styles(): string {
  const patterns = ['shell/base.css', 'shell/*.css', 'text/*.css', '*/*.css'];
  const sheets = patterns.flatMap((pattern) => globSync(pattern, { cwd: PAGE_FOLDER }).toSorted());
  return [...new Set(sheets)].map(ownFile).join('');
}

function ownFile(name: string): string {
  return readFileSync(path.join(PAGE_FOLDER, name), 'utf8');
}

/** The addresses, and all that they import. */
function loadedWith(
  entries: readonly string[],
  importsOf: (address: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (address: string): void => {
    if (found.has(address)) return;
    found.add(address);
    importsOf(address).forEach(add);
  };
  entries.forEach(add);
  return found;
}
