/**
 * Text from spans as a JSON string that is inert in a prompt. Nothing is lost (except invisible characters, below): a
 * JSON escape stands for the character that it replaces, and a model reads it as that.
 *
 *   1. It is on one line, since JSON has no line ends within texts: it can neither begin a line nor end one.
 *   2. It has no `<`, nor what looks like one, so that it holds no tag, hence not the end of the data, and none of the special tokens of
 *      chat templates (`<|im_start|>`, `</s>`, `<start_of_turn>`), which some servers find in any text; nor `[INST]` and its like.
 *   3. It has no characters of control or direction, and none of no width: what a person sees in the record is what the model gets.
 *   4. Characters that are nothing but a hidden alphabet (tags, supplementary variation selectors) are shown as U+FFFD, a run as one.
 */
export function inertText(text: string): string {
  return JSON.stringify(text.toWellFormed().replace(HIDDEN_ALPHABETS, '\ufffd')).replace(NOT_INERT, escaped);
}

const HIDDEN_ALPHABETS = /[\u{e0000}-\u{e0fff}]+/gu;
const NOT_INERT =
  /[<\u02c2\u1438\u2039\u2329\u276c\u276e\u2770\u27e8\u3008\ufe64\uff1c]|\[(?=\/?[A-Z_]{3,40}\])|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;

function escaped(character: string): string {
  let escapes = '';
  for (let at = 0; at < character.length; at += 1) {
    escapes += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escapes;
}
