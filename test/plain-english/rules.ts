/** The rules of plain English that a machine can hold. Each says the remedy. */

const HEADLESS =
  /^(?:What|Whatever|Who|Whoever|Whom|Whose|To whom|Those|Of|By (?:it|them|which|what|whom)|Where (?:nobody|nothing|none|no one|there|it|that|this))\b(?!.*\?$)/;

const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'write "again" or "from scratch"'],
  [/\bbut for\b/i, 'write "except"'],
  [/\bfor good\b/i, 'write "permanently"'],
  [/\bcan not\b/i, 'write "cannot"'],
  [/\b(?:is|are|was|were|be|been) let (?:go|be)\b/i, 'write "released", "dropped" or "left unchanged"'],
  [/\b(?:lets|letting) go\b/i, 'write "releases" or "deletes"'],
  [/\blooked at again\b/i, 'write "re-evaluated"'],
  [/\bcomes? again\b/i, 'write "is redelivered", "is a duplicate" or "is retried"'],
  [/\bput together again\b/i, 'write "reassembled"'],
  [/\bnobody wants\b/i, 'say what happens'],
  [/\bheld against\b/i, 'write "compared with"'],
  [/\ba lean to\b/i, 'write "bias"'],
  [/\btold besides\b|, and told\b/i, 'write "reported"'],
];

export interface Checked {
  readonly text: string;
  readonly isHeading: boolean;
}

/** Undefined if the sentence breaks no rule. A heading is a name, which may begin with a question word. */
export function mistakeIn({ text, isHeading }: Checked, wordsMax: number): string | undefined {
  if (!isHeading && HEADLESS.test(text)) return 'begin with the thing or the verb';
  return BANNED.find(([pattern]) => pattern.test(text))?.[1] ?? lengthMistakeIn(text, wordsMax);
}

function lengthMistakeIn(sentence: string, wordsMax: number): string | undefined {
  const words = sentence.split(/\s+/).length;
  return words > wordsMax ? `split it: it has ${words} words` : undefined;
}
