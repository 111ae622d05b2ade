/**
 * The HTML of the page, one for each view: they differ in the modules that a browser may begin to load at once.
 *
 * Addresses of modules have the version of their text, which the import map adds. So a browser that knows a file asks
 * nothing, and after an upgrade no file is combined with another release's. The policy allows scripts of this address and
 * the import map, known by its hash; nothing of a span can become a script, a style or a request.
 */
import { createHash } from 'node:crypto';

interface DocumentParts {
  /** Names that modules import, each with its address and version. */
  readonly importMap: Readonly<Record<string, string>>;
  /** Addresses with their versions. */
  readonly entry: string;
  readonly styles: readonly string[];
  readonly icon: string;
  readonly preload: readonly string[];
}

export function pageDocument({ importMap, entry, styles, icon, preload }: DocumentParts): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Assay</title>',
    `<link rel="icon" type="image/svg+xml" href="${icon}">`,
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    `<script type="importmap">${importMapText(importMap)}</script>`,
    ...preload.map((href) => `<link rel="modulepreload" href="${href}">`),
    `<script type="module" src="${entry}"></script>`,
  ];
  const body = '<div id="page"></div><noscript>The page of Assay needs JavaScript. The API does not: GET /</noscript>';
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.join('\n')}\n</head>\n<body>${body}</body>\n</html>\n`;
}

/** No name in it can end the element: names of our own files have neither `<` nor `"`. */
function importMapText(imports: Readonly<Record<string, string>>): string {
  return JSON.stringify({ imports });
}

export function contentSecurityPolicy(importMap: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256').update(importMapText(importMap)).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
