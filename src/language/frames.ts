/**
 * Parts of an answer that are not said by the agent in its own voice: quotes, quoted lines, code, and a draft after the words that announce
 * it. "You could reply: "I have sent the report"" claims nothing. An answer that is one quote and no more is read as it is.
 */
import { inAnyLanguage } from './languages.ts';

const MAY_HOLD_FRAMES = /["“”„«「『>]|```|[:：]\s*\n/;
const CODE = /```[\s\S]{0,8000}?(?:```|$)/g;
const QUOTED_LINES = /^ {0,3}>.{0,2000}$/gm;
const QUOTE =
  /"[^"\n]{2,600}"|“[^”\n]{2,600}”|„[^“”\n]{2,600}[“”]|«[^»\n]{2,600}»|「[^」\n]{2,600}」|『[^』\n]{2,600}』/g;
const ANNOUNCED = inAnyLanguage(({ drafts }) => drafts.announced);
const NAMED = inAnyLanguage(({ drafts }) => drafts.named);
const DRAFT = new RegExp(`(?:${ANNOUNCED})[^.!?\\n]{0,60}(?:${NAMED})[^.!?\\n]{0,40}[:：]\\s*\\n[\\s\\S]*`);
const LETTERS_LEFT_MIN = 6;

/** Works on text as `plainText` gives it. */
export function withoutFrames(plain: string): string {
  if (!MAY_HOLD_FRAMES.test(plain)) return plain;
  const rest = plain.replace(CODE, '\n').replace(QUOTED_LINES, '').replace(DRAFT, '\n').replace(QUOTE, '·');
  return (rest.match(/\p{L}/gu)?.length ?? 0) >= LETTERS_LEFT_MIN ? rest : plain;
}

/** Code and quotes: material that a user gives along with a request. */
export function framesOf(plain: string): string {
  if (!MAY_HOLD_FRAMES.test(plain)) return '';
  return [CODE, QUOTED_LINES, QUOTE].flatMap((frame) => plain.match(frame) ?? []).join('\n');
}
