/** Text from elsewhere inside Markdown: it can't begin a table cell, a link, an image, HTML or a mention. */
import { TEXT_MAX } from './document.ts';

export function markdownText(text: string, max = TEXT_MAX): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = [...line];
  const cut = characters.length > max ? `${characters.slice(0, max).join('')}…` : line;
  return (
    cut
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(/[\\`*_{}[\]()#+!|~:/-]/g, (character) => `\\${character}`)
      // A mention would call somebody, and a reference link something.
      .replaceAll('@', '@\u{200b}')
  );
}

/** Between backticks: nothing in it means anything, as long as it holds none itself. */
export function markdownCode(text: string, max = TEXT_MAX): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]+/gu, ' ')
    .replaceAll('|', '\u{2502}')
    .trim();
  const characters = [...line];
  return `\`${characters.length > max ? `${characters.slice(0, max).join('')}…` : line || ' '}\``;
}
