/** A conclusion in a word, with the mark by which it is found at a glance. */
interface WordProps {
  /** Gives the colour. */
  readonly kind: string;
  readonly mark: string;
  readonly words: string;
}

export function WordMark({ kind, mark, words }: WordProps) {
  return (
    <span class={`word ${kind}`}>
      <span class="mark" aria-hidden="true">
        {mark}
      </span>
      {words}
    </span>
  );
}
