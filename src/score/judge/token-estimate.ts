/**
 * How many tokens a text comes to, on the safe side, without the tokenizer of the model, which may be anybody's. All of them cut a text
 * where letters, digits and signs meet, and know words by pieces:
 *
 *     letters of one case in a row     1 per 4 begun; a capital before small ones belongs to them
 *     a digit, a sign                  1
 *     spaces                           none for one, 1 per 4 in a longer run
 *     letters of two bytes in UTF-8    1.25 (Latin with accents, Greek, Cyrillic, …); Armenian 2
 *     kana and common Han              1.5
 *     what has three bytes else        2; rare Han 3
 *     what has four                    4
 *
 * Letters and digits after the 24th without a break are no word but a key or an encoding, and 1 each. How far all this is from real
 * tokenizers is in docs/decisions/0016-judges.md.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  let run = 0;
  let runKind: Kind = 'other';
  let unbroken = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    unbroken = kind === 'small' || kind === 'capital' || isDigit(code) ? unbroken + 1 : 0;
    if (unbroken > WORD_LENGTH) {
      quarters += 4;
      continue;
    }
    if (kind === runKind || (kind === 'small' && runKind === 'capital' && run === 1)) run += 1;
    else {
      quarters += quartersOfRun(runKind, run);
      run = 1;
    }
    runKind = kind;
    if (kind === 'other') quarters += quartersOf(code);
  }
  return Math.ceil((quarters + quartersOfRun(runKind, run)) / 4);
}

type Kind = 'small' | 'capital' | 'space' | 'other';

const WORD_LENGTH = 24;

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'small';
  if (code === 32) return 'space';
  return code >= 65 && code <= 90 ? 'capital' : 'other';
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function quartersOfRun(kind: Kind, length: number): number {
  if (kind === 'other') return 0;
  if (kind === 'space') return length === 1 ? 0 : length;
  return 4 * Math.ceil(length / 4);
}

function quartersOf(code: number): number {
  if (code < 0x80) return 4;
  if (code < 0x800) return code >= 0x530 && code < 0x590 ? 8 : 5;
  if ((code >= 0x3040 && code < 0x3100) || (code >= 0x4e00 && code < 0xa000)) return 6;
  return code >= 0x3400 && code < 0x4dc0 ? 12 : 8;
}
