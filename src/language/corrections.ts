/**
 * Whether a user's message corrects the answer before it: "no, I meant …", "that's not what I asked". Only what stands at
 * the beginning counts, because a later sentence may speak of anything.
 */
import type { Language } from './languages.ts';
import { plainText } from './plain-text.ts';

const BEGINNING = 160;

/** Patterns over plain text. A `^` is the beginning of the message. */
const CORRECTIONS: Readonly<Record<Language, readonly string[]>> = {
  English: [
    "^(?:no|nope|nah|wait|sorry)[,.!:;–— -]{1,3}(?:i (?:meant|mean|said|asked|want|wanted)|not (?:that|this|the|those|what)|(?:that|it)(?:'s| is) (?:not|wrong))\\b",
    "\\bi (?:meant|actually meant|did ?n[o']?t (?:ask|mean|say|want)|asked (?:for|about|you to))\\b",
    "\\b(?:that's|that is|this is|it's) (?:not (?:what|right|correct|the one)|wrong|incorrect|the wrong)\\b",
    "\\byou(?: have|'ve)? (?:misunderstood|got (?:it|that|me) wrong|misread)\\b",
  ],
  German: [
    '^nein[,.!:;–— -]{1,3}(?:ich (?:meine|meinte|will|wollte|brauche|sagte)|nicht (?:das|den|die|diese|so)|sondern)\\b',
    '\\bich meinte\\b|\\bich meine (?:nicht|doch|eigentlich)\\b|\\bich wollte (?:nicht|doch|eigentlich)\\b',
    '\\bdas (?:ist|war) (?:nicht (?:das|was|richtig)|falsch)|\\bdas stimmt nicht|\\b(?:falsch|miss)verstanden\\b',
  ],
  Spanish: [
    '^no[,.!:;–— -]{1,3}(?:yo (?:quiero|quería|digo)|quiero|quería|me refiero|lo que|eso no|ese no|esa no)(?!\\p{L})',
    '(?<!\\p{L})(?:quise decir|quería decir|me refería|me refiero)(?!\\p{L})',
    '(?<!\\p{L})(?:(?:eso|esto) no es|no es (?:eso )?lo que|no era (?:eso|lo que)|(?:me )?(?:has entendido|entendiste|entendió) mal)(?!\\p{L})',
  ],
  French: [
    "^non[,.!:;–— -]{1,3}(?:je (?:veux|voulais|parle|parlais|demande)|pas (?:ce|cette|celui|celle|ça)|ce n'est pas|c'est pas)(?!\\p{L})",
    '(?<!\\p{L})(?:je voulais (?:dire|plutôt)|je parlais d|mal compris)',
    "(?<!\\p{L})(?:ce n'est pas|c'est pas|c'était pas) (?:ce que|ça|cela|ce qu'|la bonne|le bon|correct)|(?<!\\p{L})c'est (?:faux|incorrect|la mauvaise|le mauvais)",
  ],
  Portuguese: [
    '^não[,.!:;–— -]{1,3}(?:eu (?:quero|queria|disse)|quero|queria|o que eu|me refiro|isso não|esse não|essa não)(?!\\p{L})',
    '(?<!\\p{L})(?:quis dizer|queria dizer|me referia|me refiro|referia-me)(?!\\p{L})',
    '(?<!\\p{L})(?:não (?:é|foi|era) (?:isso|o que)|isso não (?:é|foi|está)|isso está errado|entend(?:eu|este) (?:mal|errado))(?!\\p{L})',
  ],
  Japanese: [
    'そうじゃな|そうではな|^(?:いえ|いや|いいえ)[、。,]|違います|違うん|^違|ではなくて|じゃなくて|と言ったのは|聞いたのは|間違っています',
  ],
  Chinese: [
    '^不[,,。]|不对|不是这个|不是我(?:要|问|说|想)|我(?:是说|的意思是|说的是|问的是|是问)|你(?:理解错|搞错|弄错)|错了',
  ],
};

/** Compiled when the first later turn is read. */
let compiled: RegExp | undefined;

export function isCorrection(message: string): boolean {
  compiled ??= new RegExp(Object.values(CORRECTIONS).flat().join('|'), 'u');
  return compiled.test(plainText(message.slice(0, BEGINNING)).trimStart());
}
