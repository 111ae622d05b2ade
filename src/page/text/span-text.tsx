/**
 * Text that came with spans. Nobody knows its language, its direction or its intent: it is shown as text, isolated from
 * what stands around it, and characters that nobody would see are written out.
 */
import { useMemo } from 'preact/hooks';
import { markedParts } from '../../model/word-forms.ts';
import { visibleParts, withFewHidden } from '../../model/visible-text.ts';
import { countText } from './format.ts';
import { endOf, SLICE_CHARACTERS } from './text-slices.ts';
import { useSlices } from './use-slices.ts';

/** Each is an element of the document, and a list has many texts. */
const HIDDEN_RUNS_MAX = 12;

interface SpanTextProps {
  readonly text: string;
  readonly charactersMax?: number;
  /** Element that has nothing but the text, and its class. */
  readonly in?: 'p' | 'b' | 'q' | 'code' | 'span' | 'li';
  readonly class?: string;
  /** Words that are marked. */
  readonly isFound?: ((word: string) => boolean) | undefined;
}

/** A text within a sentence or a row; longer ones end with an ellipsis. */
export function SpanText({ text, charactersMax = 300, in: Frame, class: name, isFound }: SpanTextProps) {
  const begin = withFewHidden(text.slice(0, charactersMax), HIDDEN_RUNS_MAX);
  const shown = begin.length < text.length ? `${begin.toWellFormed()}…` : text;
  const words = (
    <bdi dir="auto" class="span-text">
      {shownParts(shown, isFound)}
    </bdi>
  );
  return Frame === undefined ? words : <Frame class={name}>{words}</Frame>;
}

const RUN_MAX = 6;

export function shownParts(text: string, isFound?: (word: string) => boolean) {
  return visibleParts(text).map((part) => {
    if ('words' in part) return isFound === undefined ? part.words : withMarks(part.words, isFound);
    const { length } = part.hidden;
    const names = part.hidden.slice(0, RUN_MAX).join(' ') + (length > RUN_MAX ? ` and ${length - RUN_MAX} more` : '');
    return (
      <span class="hidden-character" title="a character that is not visible">
        {names}
      </span>
    );
  });
}

function withMarks(words: string, isFound: (word: string) => boolean) {
  return markedParts(words, isFound).map((part) => (part.isFound ? <mark>{part.text}</mark> : part.text));
}

interface LongTextProps {
  readonly text: string;
  /** Address of the whole text, where the answer has only its beginning. */
  readonly whole?: string | undefined;
  /** Payloads: letters of one width, and lines that do not wrap at words. */
  readonly isCode?: boolean;
}

/** A text of any length, a few slices at a time. */
export function LongText({ text, whole, isCode = false }: LongTextProps) {
  const { slices, characters, isWaiting, problem, move } = useSlices(text, whole);
  const [from, end] = [slices[0]?.from ?? 0, Math.max(...slices.map(endOf), 0)];
  const Frame = isCode ? 'pre' : 'div';
  const button = (to: Parameters<typeof move>[0], words: string) => (
    <button type="button" class="quiet" disabled={isWaiting} onClick={() => move(to)}>
      {words}
    </button>
  );
  return (
    <div class="long-text">
      {from > 0 && (
        <p class="aside">
          {`${countText(from)} characters before this `}
          {button('earlier', 'Show earlier')}
          {button('begin', 'To the beginning')}
        </p>
      )}
      <Frame dir="auto" class={isCode ? 'payload' : 'words'} tabIndex={isCode ? 0 : undefined}>
        {slices.map((slice) => (
          <Slice key={slice.from} text={slice.text} />
        ))}
      </Frame>
      {(characters === undefined || end < characters) && (
        <p class="aside">
          {characters === undefined
            ? 'the text is longer than this '
            : `${countText(characters - end)} characters more `}
          {button('later', 'Show more')}
          {(characters === undefined || characters - end > SLICE_CHARACTERS) && button('end', 'To the end')}
        </p>
      )}
      {problem !== undefined && <p class="aside">{problem}</p>}
    </div>
  );
}

/** The same elements as long as the text is the same: a slice is not compared with itself when another one comes. */
function Slice({ text }: { readonly text: string }) {
  const parts = useMemo(() => shownParts(text.toWellFormed()), [text]);
  return <span>{parts}</span>;
}

/** A value as people read JSON; a text as it is. */
export function payloadText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
