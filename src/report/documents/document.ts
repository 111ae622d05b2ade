/**
 * A report before it is drawn. A builder decides what is said of its subject, once; `document-markdown.ts` and
 * `cli/print-document.ts` decide how it looks in a pull request and in a terminal.
 *
 * Every text may come from spans or from a foreign repository. So the drawings take each as text and nothing else:
 * builders need not know which of their texts can be trusted.
 */
export interface Document {
  /** Headline of a file. A terminal leaves it out, because the command stands above. */
  readonly title: Phrase;
  /** The answer in one sentence. */
  readonly verdict?: Phrase;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly is: 'section'; readonly heading: Phrase; readonly blocks: readonly Block[] }
  | { readonly is: 'line' | 'note'; readonly text: Phrase }
  /** `align` has a letter a column, `l` or `r`; columns without one stand to the left. */
  | { readonly is: 'table'; readonly rows: readonly Row[]; readonly align?: string };

export type Row =
  /** Cells. A row with fewer than others has a text in place of figures at its end. */
  | readonly Phrase[]
  /** Names of the columns of the rows that follow; rows without them are a list. */
  | { readonly head: readonly Phrase[] }
  /** Sentences about the row above. */
  | { readonly below: readonly Phrase[] }
  /** Rows of little interest: a terminal has the short ones in their place. */
  | { readonly folded: readonly Row[]; readonly short: readonly Row[] };

export type Phrase = Piece | readonly Piece[];

export type Piece =
  | string
  | { readonly text: string; readonly tone?: Tone; readonly max?: number; readonly isName?: true };

export type Tone = 'good' | 'bad' | 'unsure' | 'aside' | 'strong';

export const TEXT_MAX = 1000;

/** A sentence with names and tones in it. */
export function say(texts: TemplateStringsArray, ...phrases: readonly (Phrase | number)[]): readonly Piece[] {
  return texts.flatMap((text, index) => {
    const phrase = phrases[index];
    const pieces = phrase === undefined ? [] : piecesOf(typeof phrase === 'number' ? String(phrase) : phrase);
    return text === '' ? pieces : [text, ...pieces];
  });
}

/** Ids, names and commands, that a reader may copy. */
export function name(text: string, max = 80): Piece {
  return { text, max, isName: true };
}

/** The name of the subject. */
export function subject(text: string): Piece {
  return { text, max: 80, isName: true, tone: 'strong' };
}

export function command(text: string): Piece {
  return name(text, TEXT_MAX);
}

export function toned(tone: Tone, text: string): Piece {
  return { text, tone };
}

export function joined(phrases: readonly Phrase[], separator = ', '): readonly Piece[] {
  return phrases.flatMap((phrase, index) => (index === 0 ? piecesOf(phrase) : [separator, ...piecesOf(phrase)]));
}

export function listed(names: readonly string[]): readonly Piece[] {
  return joined(names.map((one) => name(one)));
}

export function line(text: Phrase): Block {
  return { is: 'line', text };
}

export function aside(text: string): Block {
  return line(toned('aside', text));
}

export function note(text: string): Block {
  return { is: 'note', text };
}

export function section(heading: Phrase, blocks: readonly Block[]): Block {
  return { is: 'section', heading, blocks };
}

export function list(items: readonly Phrase[]): Block {
  return { is: 'table', rows: items.map((item) => [item]) };
}

export function piecesOf(phrase: Phrase): readonly Piece[] {
  // The cast holds because the other members of the union are no arrays.
  return Array.isArray(phrase) ? (phrase as readonly Piece[]) : [phrase as Piece];
}

/** A cleaned and shortened text that keeps the spaces at its ends, because they part it from the next piece. */
export function cleanedPiece(text: string, clean: (text: string) => string): string {
  const [, before = '', middle = '', after = ''] = /^( *)(.*?)( *)$/s.exec(text) ?? [];
  return before + (middle === '' ? '' : clean(middle)) + after;
}
