/**
 * Secrets whose parts are elements of one list, in JSON or in OTLP: the groups of a card's number, and a key that was
 * cut. The first part says what it was, the others become empty.
 */
import { redactionMarker } from '../model/redaction.ts';
import { digitsEnd, isWord } from './bytes.ts';
import { isMixed } from './find-credential.ts';
import type { Redaction } from './splice.ts';
import type { TextScanner } from './text-scanner.ts';

export interface TextElement {
  readonly start: number;
  readonly end: number;
  /** The element before it in its list is a text as well. */
  readonly isNext: boolean;
}

const GROUPS = 4;
const GROUP_MAX = 7;
const REST_MIN = 8;
const OF_KEY: readonly number[] = [...'-._+/='].map((sign) => sign.charCodeAt(0));

/** In no particular order. A key is found by its first part. */
export function* splitSecrets(
  text: Buffer,
  elements: Iterable<TextElement>,
  scanner: TextScanner,
): Generator<Redaction> {
  let group: TextElement[] = [];
  let before: TextElement | undefined;
  let isOfKey = false;
  for (const element of elements) {
    if (!element.isNext) {
      group = [];
      before = undefined;
    }
    isOfKey =
      before !== undefined &&
      mayGoOn(text, element) &&
      (isOfKey || endsInKey(scanner, text, before)) &&
      !endsInKey(scanner, text, element);
    if (isOfKey) yield { start: element.start, end: element.end, by: Buffer.alloc(0), pattern: undefined };
    before = element;
    if (!isGroup(text, element)) {
      group = [];
      continue;
    }
    group = [...group.slice(1 - GROUPS), element];
    if (!scanner.isCard(group.map(({ start, end }) => text.toString('latin1', start, end)).join(''))) continue;
    for (const [index, { start, end }] of group.entries()) {
      const isFirst = index === 0;
      yield {
        start,
        end,
        by: Buffer.from(isFirst ? redactionMarker('card') : ''),
        pattern: isFirst ? 'card' : undefined,
      };
    }
    group = [];
  }
}

function isGroup(text: Buffer, { start, end }: TextElement): boolean {
  return end > start && end - start <= GROUP_MAX && digitsEnd(text, start, end, GROUP_MAX) === end;
}

/** Signs of keys alone, letters and digits mixed. */
function mayGoOn(text: Buffer, { start, end }: TextElement): boolean {
  if (end - start < REST_MIN) return false;
  for (let at = start; at < end; at++) if (!isWord(text[at] ?? 0) && !OF_KEY.includes(text[at] ?? 0)) return false;
  return isMixed(text, start, end);
}

function endsInKey(scanner: TextScanner, text: Buffer, { start, end }: TextElement): boolean {
  // A buffer of its own, since the scanner goes through a request only once.
  const part = text.subarray(start, end);
  const last = scanner.scan(part, 0, part.length).at(-1);
  return last !== undefined && last.end === part.length && (last.pattern === 'api_key' || last.pattern === 'jwt');
}
