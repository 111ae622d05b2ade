/**
 * Words of a model in the little markup that models write: bold, lists, tables, code. The library only takes the text
 * apart; the elements are made here, from a list of those that can do nothing. A link or a picture is shown as its words
 * and its address, and HTML as the text that it is: nothing of a span leads anywhere, or is loaded.
 */
import type { MarkedToken, Token } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { LongText, shownParts } from './span-text.tsx';
import { sliceAt } from './text-slices.ts';

type Lexer = (text: string) => readonly Token[];

/**
 * Longer texts, deeper ones and those of more marks are shown as they came: the time to take a text apart grows with the
 * square of its marks. Answers of models have fewer than 150.
 */
const CHARACTERS_MAX = 12_000;
const MARKS_MAX = 800;
const DEPTH_MAX = 16;
const MARK = /[*_`~|[\]<>()#!&\\\n-]/g;
/** Lists and quotes within each other, all begun on one line. */
const DEEP = /^[ \t]*(?:(?:\d{1,9}[.)]|[-+*>])[ \t]*){6}/m;
/** Without any of these a text reads the same with and without its markup. */
const HAS_MARKUP = /[*_`~|[<]|^[ \t]*(?:#|>|[-+][ \t]|\d{1,9}[.)][ \t])/m;

let lexer: Lexer | undefined;

/** Loads the library, once: a list of conversations does without it. */
export async function loadMarkdown(): Promise<void> {
  if (lexer !== undefined) return;
  const { lexer: lex } = await import('marked');
  lexer = (text) => lex(text, { gfm: true });
}

interface WordsProps {
  readonly text: string;
  /** Address of the whole text, where the answer has only its beginning. */
  readonly whole?: string | undefined;
}

/** A text that may have markup; as it came until the library is there, and where it is too long for it. */
export function Words({ text, whole }: WordsProps) {
  const isWanted = whole === undefined && HAS_MARKUP.test(text) && isSmall(text);
  const [isLoaded, setLoaded] = useState(lexer !== undefined);
  useEffect(() => {
    if (!isWanted || isLoaded) return;
    loadMarkdown().then(
      () => setLoaded(true),
      () => undefined,
    );
  }, [isWanted, isLoaded]);
  const blocks = useMemo(() => (isWanted && isLoaded ? blocksOf(text) : undefined), [text, isWanted, isLoaded]);
  if (blocks === undefined) return <LongText text={text} whole={whole} />;
  return (
    <div class="words marked-up" dir="auto">
      {blocks}
    </div>
  );
}

/** One slice has to hold all of it: then few characters are written out, and few changes of direction are in it. */
function isSmall(text: string): boolean {
  if (text.length > CHARACTERS_MAX || DEEP.test(text) || (text.match(MARK)?.length ?? 0) > MARKS_MAX) return false;
  return sliceAt({ from: 0, text, characters: text.length }, 0)?.text.length === text.length;
}

/** Undefined where the text is too deep. */
function blocksOf(text: string): ComponentChildren {
  try {
    return elementsOf(lexer?.(text.toWellFormed()) ?? [], 0);
  } catch {
    // The library goes as deep as the text does, and the text comes from anybody.
    return undefined;
  }
}

function elementsOf(tokens: readonly Token[], depth: number): ComponentChildren[] {
  if (depth > DEPTH_MAX) throw new RangeError('markup within markup, too deep');
  return tokens.map((token, index) => <Element key={index} of={elementOf(token, depth + 1)} />);
}

function Element({ of }: { readonly of: ComponentChildren }) {
  return of;
}

function elementOf(any: Token, depth: number): ComponentChildren {
  const inner = (tokens: readonly Token[] | undefined) => elementsOf(tokens ?? [], depth);
  // The cast holds: no extension of the library is in use, so every token is one of its own.
  const token = any as MarkedToken;
  switch (token.type) {
    case 'paragraph':
      return <p dir="auto">{inner(token.tokens)}</p>;
    case 'heading':
      return (
        <p dir="auto">
          <b>{inner(token.tokens)}</b>
        </p>
      );
    case 'blockquote':
      return <blockquote dir="auto">{inner(token.tokens)}</blockquote>;
    case 'list':
      return listOf(
        token.ordered,
        token.start,
        token.items.map(({ tokens }) => inner(tokens)),
      );
    case 'code':
      return <pre class="payload">{shownParts(token.text)}</pre>;
    case 'table':
      return tableOf(
        token.header.map(({ tokens }) => inner(tokens)),
        token.rows.map((row) => row.map(({ tokens }) => inner(tokens))),
      );
    case 'hr':
      return <hr />;
    case 'strong':
      return <b>{inner(token.tokens)}</b>;
    case 'em':
      return <i>{inner(token.tokens)}</i>;
    case 'del':
      return <s>{inner(token.tokens)}</s>;
    case 'codespan':
      return <code>{shownParts(token.text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return token.text === token.href ? (
        <code>{shownParts(token.href)}</code>
      ) : (
        [...inner(token.tokens), ' (', <code key="href">{shownParts(token.href)}</code>, ')']
      );
    case 'image':
      return ['picture ', ...shownParts(token.text), ' (', <code key="href">{shownParts(token.href)}</code>, ')'];
    case 'text':
      return token.tokens === undefined ? shownParts(token.text) : inner(token.tokens);
    case 'space':
    case 'def':
      return null;
    case 'escape':
      return shownParts(token.text);
    default:
      // HTML, and what a later version of the library may add.
      return shownParts(any.raw);
  }
}

function listOf(isOrdered: boolean, start: number | '', items: readonly ComponentChildren[]) {
  const rows = items.map((item, index) => <li key={index}>{item}</li>);
  return isOrdered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function tableOf(heads: readonly ComponentChildren[], rows: readonly (readonly ComponentChildren[])[]) {
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
