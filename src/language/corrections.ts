/**
 * Whether a user's message corrects the answer before it: "no, I meant …", "that's not what I asked". Only its first words
 * count, because a later sentence may speak of anything, and every message is read.
 */
import type { Language } from './languages.ts';
import { plainText } from './plain-text.ts';

const BEGINNING = 160;

/** Patterns over plain text, of the first words of a message. */
const CORRECTIONS: Readonly<Record<Language, readonly string[]>> = {
  English: [
    "(?:no|nope|nah|wait|sorry)[,.!:;–— -]{1,3}(?:i (?:meant|mean|said|asked|want|wanted)|not (?:that|this|the|those|what)|(?:that|it)(?:'s| is) (?:not|wrong))",
    "i (?:meant|actually meant|did ?n[o']?t (?:ask|mean|say|want)|asked (?:for|about|you to))",
    "(?:that's|that is|this is|it's) (?:not (?:what|right|correct|the one)|wrong|incorrect|the wrong)",
    "you(?: have|'ve)? (?:misunderstood|got (?:it|that|me) wrong|misread)",
  ],
  German: [
    'nein[,.!:;–— -]{1,3}(?:ich (?:meine|meinte|will|wollte|brauche|sagte)|nicht (?:das|den|die|diese|so)|sondern)',
    'ich meinte|ich meine (?:nicht|doch|eigentlich)|ich wollte (?:nicht|doch|eigentlich)',
    'das (?:ist|war) (?:nicht (?:das|was|richtig)|falsch)|das stimmt nicht|(?:du hast|sie haben) mich (?:falsch|miss)verstanden',
  ],
  Spanish: [
    'no[,.!:;–— -]{1,3}(?:yo (?:quiero|quería|digo)|quiero|quería|me refiero|lo que|eso no|ese no|esa no)',
    'quise decir|quería decir|me refería|me refiero',
    '(?:eso|esto) no es|no es (?:eso )?lo que|no era (?:eso|lo que)|(?:me )?(?:has entendido|entendiste|entendió) mal',
  ],
  French: [
    "non[,.!:;–— -]{1,3}(?:je (?:veux|voulais|parle|parlais|demande)|pas (?:ce|cette|celui|celle|ça)|ce n'est pas|c'est pas)",
    "je voulais (?:dire|plutôt)|je parlais (?:de|du|des|d'\\p{L}{1,20})|(?:tu as|vous avez) mal compris",
    "(?:ce n'est pas|c'est pas|c'était pas) (?:ce que|ça|cela|ce qu'|la bonne|le bon|correct)|c'est (?:faux|incorrect|la mauvaise|le mauvais)",
  ],
  Portuguese: [
    'não[,.!:;–— -]{1,3}(?:eu (?:quero|queria|disse)|quero|queria|o que eu|me refiro|isso não|esse não|essa não)',
    '(?:eu )?(?:quis dizer|queria dizer|me referia|me refiro|referia-me)',
    'não (?:é|foi|era) (?:isso|o que)|isso não (?:é|foi|está)|isso está errado|(?:você )?entend(?:eu|este) (?:mal|errado)',
  ],
  Japanese: [
    'そうじゃな|そうではな|^(?:いえ|いや|いいえ)[、。,]|違います|違うん|^違|ではなくて|じゃなくて|と言ったのは|聞いたのは|間違っています',
  ],
  Chinese: [
    '^不[,,。]|不对|不是这个|不是我(?:要|问|说|想)|我(?:是说|的意思是|说的是|问的是|是问)|你(?:理解错|搞错|弄错)|错了',
  ],
};

const HAS_IDEOGRAPHS = /[\u3040-\u30ff\u4e00-\u9fff]/;

/** Compiled when the first message is read. */
let compiled: { readonly spaced: RegExp; readonly unspaced: RegExp } | undefined;

export function isCorrection(message: string): boolean {
  compiled ??= compile();
  const text = plainText(message.slice(0, BEGINNING)).trimStart();
  return compiled.spaced.test(text) || (HAS_IDEOGRAPHS.test(text) && compiled.unspaced.test(text));
}

function compile(): NonNullable<typeof compiled> {
  const { Japanese, Chinese, ...spaced } = CORRECTIONS;
  // Two short words may stand before it: "hm, sorry, …". At one place only, so that a text takes no time.
  const before = '^(?:\\p{L}{1,10}[,.!:;–— -]{1,3}){0,2}?';
  return {
    spaced: new RegExp(`${before}(?:${Object.values(spaced).flat().join('|')})(?!\\p{L})`, 'u'),
    unspaced: new RegExp([...Japanese, ...Chinese].join('|'), 'u'),
  };
}
