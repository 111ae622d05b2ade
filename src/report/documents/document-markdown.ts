/** Draws a document as Markdown, for a pull request. */
import {
  type Block,
  cleanedPiece,
  type Document,
  type Phrase,
  piecesOf,
  type Row,
  type Table,
  TEXT_MAX,
} from './document.ts';
import { markdownCode, markdownText } from './markdown-text.ts';

export function documentMarkdown({ title, verdict, blocks }: Document): string {
  const lead = verdict === undefined ? [] : [phraseText(verdict), ''];
  return `${[`## ${phraseText(title)}`, '', ...lead, ...blocks.flatMap((block) => blockLines(block, 3))].join('\n')}`;
}

function blockLines(block: Block, level: number): readonly string[] {
  switch (block.is) {
    case 'section':
      return [
        ...[`${'#'.repeat(level)} ${phraseText(block.heading)}`, ''],
        ...block.blocks.flatMap((inner) => blockLines(inner, level + 1)),
      ];
    case 'line':
      return [block.isNote ? `> ${phraseText(block.text)}` : sentenceText(block.text), ''];
    case 'table':
      return block.head === undefined ? [...block.rows.map(itemText), ''] : tableLines(block, block.head);
  }
}

function itemText({ cells }: Row): string {
  return `* ${cells
    .map(phraseText)
    .filter((text) => text !== '')
    .join(', ')}`;
}

function tableLines({ rows, folded }: Table, head: readonly Phrase[]): readonly string[] {
  const all = [...rows, ...(folded?.rows ?? [])];
  const below = all.flatMap(({ cells, below: sentences = [] }) =>
    sentences.length === 0 ? [] : [`* ${nameIn(cells)}: ${sentences.map(sentenceText).join(' ')}`],
  );
  return [
    rowText(head),
    `|${'---|'.repeat(head.length)}`,
    ...all.map(({ cells }) =>
      rowText([...cells.slice(0, -1), ...head.slice(cells.length).map(() => ''), ...cells.slice(-1)]),
    ),
    '',
    ...(below.length === 0 ? [] : [...below, '']),
  ];
}

function rowText(cells: readonly Phrase[]): string {
  return `| ${cells.map(phraseText).join(' | ')} |`;
}

function nameIn(cells: readonly Phrase[]): string {
  const named = cells.find((cell) => piecesOf(cell).some((piece) => typeof piece !== 'string' && piece.isName));
  return phraseText(named ?? cells[0] ?? '');
}

function sentenceText(phrase: Phrase): string {
  const text = phraseText(phrase);
  return /[.:!?]$/.test(text) ? text : `${text}.`;
}

function phraseText(phrase: Phrase): string {
  return piecesOf(phrase)
    .map((piece) => {
      if (typeof piece === 'string') return cleanedPiece(piece, (words) => markdownText(words, TEXT_MAX));
      const { text, max = TEXT_MAX, tone, isName } = piece;
      const drawn = isName ? markdownCode(text, max) : cleanedPiece(text, (words) => markdownText(words, max));
      return tone === 'bad' ? `**${drawn}**` : drawn;
    })
    .join('');
}
