/**
 * How many tokens a text comes to, on the safe side, without the tokenizer of the model (which may be anybody's): every one of them
 * cuts text into pieces where letters, digits and signs meet, and gives a piece one token or more.
 *
 *     a run of letters of one case     1 per 4 letters, rounded up (a capital before small letters belongs to them)
 *     a digit                          1/2
 *     a sign                           3/4
 *     a run of spaces                  0 for one, 1 per 4 for more
 *     any other character              1 per 2 of its bytes in UTF-8, which for Chinese, Japanese and Korean is 1.5
 *
 * What that gives for real tokenizers is in docs/decisions/0016-judges.md.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  let run = 0;
  let runKind = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === runKind || (kind === LOWER && runKind === UPPER && run === 1)) {
      run += 1;
      runKind = kind;
      continue;
    }
    quarters += quartersOf(runKind, run);
    run = 1;
    runKind = kind;
  }
  return Math.ceil((quarters + quartersOf(runKind, run)) / 4);
}

const NONE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const SIGN = 5;
/** Two bytes in UTF-8. */
const TWO_BYTES = 6;
/** Three, or half of a pair of surrogates, which are four together. */
const MORE_BYTES = 7;

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code === 32) return SPACE;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code < 128) return SIGN;
  return code < 0x800 ? TWO_BYTES : MORE_BYTES;
}

function quartersOf(kind: number, run: number): number {
  switch (kind) {
    case NONE:
      return 0;
    case LOWER:
    case UPPER:
      return 4 * Math.ceil(run / 4);
    case DIGIT:
      return 2 * run;
    case SPACE:
      return run === 1 ? 0 : run;
    case SIGN:
      return 3 * run;
    case TWO_BYTES:
      return 4 * run;
    default:
      return 6 * run;
  }
}
