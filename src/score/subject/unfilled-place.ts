/**
 * A place in an answer where a program should have put a value:
 *
 *     Your balance is {{balance}}.    {{ order.id }}, ${name}, {customer_name}, %(name)s
 *     You have [object Object].       $NaN, Dear undefined
 *
 * Code and quotes are left aside, and so are answers to requests that speak of templates, code or formats: there such a text is what was
 * asked for. A single brace counts only with an underscore, and not in a path: `/users/{user_id}` is documentation.
 */
import type { Turn } from '../../model/turn.ts';
import { askedFor } from '../../language/asked-for.ts';
import { withoutFrames } from '../../language/frames.ts';

const TEXT_READ_MAX = 20_000;
const INLINE_CODE = /`[^`\n]{1,400}`/g;

const MAY_HOLD_PLACE = /\{|%[(sd]|\[|<<|\b(?:NaN|undefined|null|None)\b/;
const PLACE =
  /\{\{ ?[\p{L}_][\p{L}\d_.\- ]{0,60}\}\}|(?<![\w/])\$\{[a-z_][\w.]{0,60}\}|(?<![\w/{$])\{[a-z]+(?:_[a-z\d]+)+\}(?!\})|%\([a-z_]\w{0,60}\)s|(?<=^|[ (])%[sd](?=[ ,.!?)]|$)|\[object Object\]|\[(?:your |customer |company |first |last |full )?(?:name|date|time|amount|price|address|e-?mail|phone(?: number)?|order(?: (?:number|id))?|company)\](?!\()|\[insert [^\]\n]{1,40}\](?!\()|<<[a-z][a-z _]{1,40}>>|[€$£] ?(?:NaN|undefined|null|None)\b|\b(?:NaN|undefined|null) ?(?:[€$£%]|euros?\b|dollars?\b|items?\b|days?\b)|\b(?:on|at|by|until) (?:null|undefined)(?=[ .,!]|$)|^(?:hi|hello|hey|dear|hallo|hola|bonjour|olá) (?:undefined|null|None)\b/iu;

const SPEAKS_OF_TEMPLATES =
  /templat|placeholder|variable|vorlage|platzhalter|plantilla|mod[eè]l[eo]|marcador|テンプレ|模板|jinja|handlebars|mustache|liquid|code|script|prompt|html|yaml|json|format|syntax|string|\{|\$\(/i;

export function unfilledPlaceIn({ finalAnswer, userInput }: Turn): string | undefined {
  const text = finalAnswer.text.slice(0, TEXT_READ_MAX);
  if (!MAY_HOLD_PLACE.test(text)) return undefined;
  const request = userInput.text.slice(0, TEXT_READ_MAX);
  if (SPEAKS_OF_TEMPLATES.test(request) || askedFor(request)?.form === 'text') return undefined;
  return PLACE.exec(withoutFrames(text).replace(INLINE_CODE, ' '))?.[0];
}
