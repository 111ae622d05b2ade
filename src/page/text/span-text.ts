/**
 * Text that came with spans. Nobody knows its language, its direction or its intent: it is shown as text, isolated from
 * what stands around it, and characters that nobody would see are written out.
 */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { visibleParts } from '../../model/visible-text.ts';
import { ask } from '../api/ask.ts';
import { countText } from './format.ts';

/** A text within a sentence or a row; longer ones end with an ellipsis. */
export function SpanText({
  text,
  charactersMax = 300,
}: {
  readonly text: string;
  readonly charactersMax?: number;
}): JSX.Element {
  const isLong = text.length > charactersMax;
  const shown = isLong ? `${text.slice(0, charactersMax).toWellFormed()}…` : text;
  return h('bdi', { dir: 'auto', class: 'span-text' }, ...shownParts(shown));
}

const RUN_MAX = 6;

function shownParts(text: string): (JSX.Element | string)[] {
  return visibleParts(text).map((part) => {
    if ('words' in part) return part.words;
    const { length } = part.hidden;
    const names = part.hidden.slice(0, RUN_MAX).join(' ') + (length > RUN_MAX ? ` and ${length - RUN_MAX} more` : '');
    return h('span', { class: 'hidden-character', title: 'a character that is not visible' }, names);
  });
}

const FIRST_CHARACTERS = 4_000;
const MORE_CHARACTERS = 32_000;

interface LongTextProps {
  readonly text: string;
  /** Address of the whole text, where the answer has only its beginning. */
  readonly whole?: string | undefined;
  /** Payloads: letters of one width, and lines that do not wrap at words. */
  readonly isCode?: boolean;
}

/** A text of any length, a slice at a time. */
export function LongText({ text: given, whole, isCode = false }: LongTextProps): JSX.Element {
  const [shown, setShown] = useState(FIRST_CHARACTERS);
  const [fetched, setFetched] = useState<{ readonly text: string } | { readonly why: string } | undefined>();
  const text = fetched !== undefined && 'text' in fetched ? fetched.text : given;
  const hasMore = text.length > shown;
  const isCut = whole !== undefined && fetched === undefined;
  const more = () => {
    setShown((now) => now + MORE_CHARACTERS);
    if (!isCut || text.length > shown + MORE_CHARACTERS) return;
    ask<{ readonly text: string }>(whole)
      .then((reply) => setFetched(reply.is === 'here' ? { text: reply.value.text } : { why: reply.why }))
      .catch((error: unknown) => setFetched({ why: String(error) }));
  };
  const words = shownParts(text.slice(0, shown).toWellFormed());
  const left = isCut ? 'the text is longer than this' : `${countText(text.length - shown)} characters more`;
  return h(
    'div',
    { class: 'long-text' },
    h(
      isCode ? 'pre' : 'div',
      { dir: 'auto', class: isCode ? 'payload' : 'words', tabIndex: isCode ? 0 : undefined },
      ...words,
    ),
    (hasMore || isCut) &&
      h(
        'p',
        { class: 'aside' },
        `${left} `,
        h('button', { type: 'button', class: 'quiet', onClick: more }, 'Show more'),
      ),
    fetched !== undefined && 'why' in fetched && h('p', { class: 'aside' }, fetched.why),
  );
}

/** A value as people read JSON; a text as it is. */
export function payloadText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
