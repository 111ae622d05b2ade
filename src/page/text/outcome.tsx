/** Outcomes and verdicts: each has a shape and a word besides its colour, the same in every view. */
import type { Outcome, VerdictKind } from '../../model/evaluation.ts';

interface OutcomeLook {
  readonly word: string;
  /** Commands of an SVG path in a square of 12, filled. */
  readonly filled?: string;
  /** The same, drawn as a line. */
  readonly line?: string;
}

const RING = 'M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z';

export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  successful_completion: { word: 'success', filled: RING, line: RING },
  no_fault_found: { word: 'no fault found', filled: 'M6 4a2 2 0 1 1 0 4a2 2 0 1 1 0-4z', line: RING },
  graceful_failure: { word: 'graceful failure', filled: 'M6 1.5a4.5 4.5 0 0 0 0 9z', line: RING },
  partial_failure: { word: 'partial failure', filled: 'M6 6V1.5A4.5 4.5 0 0 1 10.5 6z', line: RING },
  hard_failure: { word: 'hard failure', line: RING },
  handed_over: { word: 'handed over', line: 'M1 6h9M7 3l3 3l-3 3' },
  unscored: { word: 'unscored', filled: 'M6 4.5a1.5 1.5 0 1 1 0 3a1.5 1.5 0 1 1 0-3z' },
} satisfies Record<Outcome, OutcomeLook>;

const NAMES = /\b[a-z]+_[a-z_]+\b/g;

/** A sentence of the service, which has outcomes by their names, with the words that the page has for them. */
export function withOutcomeWords(sentence: string): string {
  return sentence.replace(NAMES, (name) => {
    // Any name may stand in a sentence; one that is no outcome has no looks.
    const looks: Readonly<Record<string, OutcomeLook | undefined>> = OUTCOME_LOOKS;
    return Object.hasOwn(looks, name) ? (looks[name]?.word ?? name) : name;
  });
}

interface OutcomeMarkProps {
  readonly outcome: Outcome;
  readonly because?: string | undefined;
  readonly isTerse?: boolean;
}

/** The word, and of a failure its kind, are always there for who listens; `isTerse` shows the shape alone, with them as its title. */
export function OutcomeMark({ outcome, because, isTerse = false }: OutcomeMarkProps) {
  const { word, filled, line } = OUTCOME_LOOKS[outcome];
  const said = because === undefined ? word : `${word}: ${because}`;
  return (
    <span class={`outcome ${outcome}`} title={isTerse ? said : undefined}>
      <svg viewBox="0 0 12 12" class="shape" aria-hidden="true">
        {filled !== undefined && <path d={filled} class="filled" />}
        {line !== undefined && <path d={line} class="line" />}
      </svg>
      <span class={isTerse ? 'only-heard' : 'word'}>{said}</span>
    </span>
  );
}

const VERDICT_LOOKS: Readonly<Record<VerdictKind, { readonly mark: string; readonly word: string }>> = {
  pass: { mark: '✓', word: 'pass' },
  fail: { mark: '✕', word: 'fail' },
  not_applicable: { mark: '–', word: 'not applicable' },
  error: { mark: '!', word: 'error' },
  skipped: { mark: '…', word: 'skipped' },
} satisfies Record<VerdictKind, { mark: string; word: string }>;

export function VerdictMark({ verdict }: { readonly verdict: VerdictKind }) {
  const { mark, word } = VERDICT_LOOKS[verdict];
  return (
    <span class={`verdict-mark ${verdict}`} title={word}>
      <span aria-hidden="true">{mark}</span>
      <span class="only-heard">{word}</span>
    </span>
  );
}
