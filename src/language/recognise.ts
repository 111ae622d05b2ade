/**
 * The language of a text, where it is one that the rules of thumb know. By its script first: kana are Japanese, Han characters without kana
 * Chinese, and what is mostly written in any other script than Latin is none of theirs. In Latin script by function words: each language
 * has as many points as its words occur, and some for letters that only it has; the best one is taken where it leads. Languages that are
 * not known take part, so that Dutch is not taken for German.
 *
 * Code, links and quoted text say nothing of the language, and are left out. Nothing is guessed: a text without such words has none.
 */
import { type Language, type NotCovered, WITH_SPACES, WORDS } from './languages.ts';
import { PHRASES } from './phrases.ts';
import { plainText } from './plain-text.ts';
import { WordTable } from './word-table.ts';

/** Languages of the same script that are not covered: what they share with those that are must not decide. */
const OTHERS = {
  Italian:
    'il lo gli un uno una di del della dei che non è sono per con ho hai ha mi ti ci si le la e ma come più anche questo questa suo sua mio posso può non grazie prego purtroppo dispiace ordine',
  Dutch:
    'de het een en of maar niet geen van voor met op in is zijn was heb heeft ik u je we wij mijn uw dit dat deze die er te aan bij naar kan kunt wordt werd helaas dank bedankt graag alstublieft ook nog wel',
  Swedish:
    'och att det som en ett är inte jag du vi ni har kan för med på av till den om men din ditt tack tyvärr inte kunde ska',
  Danish: 'og at det som en et er ikke jeg du vi har kan for med på af til den om men din dit tak desværre kunne skal',
  Polish:
    'i w na z do nie że się jest to za o po jak dla pan pani jestem mogę przepraszam dziękuję niestety proszę zamówienie został została',
  Turkish: 've bir bu için ile da de çok ne var yok değil mi ben siz size lütfen üzgünüm maalesef teşekkürler sipariş',
  Romanian: 'și de la în nu un o care pe cu este sunt am ați vă mă îmi pare rău mulțumesc din pentru comanda',
  Finnish: 'ja on ei se että oli en voi minä sinä hän me te anteeksi kiitos valitettavasti tilaus tämä',
  Indonesian:
    'dan yang di ke dari untuk dengan tidak ini itu adalah saya anda kami akan bisa maaf terima kasih pesanan sudah',
  Catalan: 'els amb és són però aquest aquesta ho ens gràcies puc vostè seva seu meva per què ho sento ja està',
} satisfies NotCovered<string>;

const RELATIVES = new Map(
  WITH_SPACES.flatMap((language) => {
    const words = WORDS[language].relative?.split(' ');
    return words === undefined ? [] : [[language, new Set(words)] as const];
  }),
);

/** Marks that only one of them has. */
const MARKS: readonly (readonly [RegExp, Language | 'none'])[] = [
  ...WITH_SPACES.flatMap((language) => {
    const { marks } = WORDS[language];
    return marks === undefined ? [] : [[marks, language] as const];
  }),
  [/[łżśąęğşıřžčåøæșț]/gu, 'none'],
];

const CANDIDATES: readonly (readonly [Language | 'none', Iterable<string>])[] = [
  ...WITH_SPACES.map((language) => [language, PHRASES[language].words] as const),
  ...Object.values(OTHERS).map((words) => ['none', words.split(' ')] as const),
];
/** The candidates that each word is of, by their places. Every answer is read, so a word is looked up once and not once for each candidate. */
const CANDIDATES_OF = new WordTable(byWord());

function byWord(): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, [, words]] of CANDIDATES.entries()) {
    for (const word of new Set(words)) {
      const known = places.get(word);
      if (known === undefined) places.set(word, [place]);
      else known.push(place);
    }
  }
  return places;
}

const TEXT_READ_MAX = 4000;
/** Without what is no prose. So much tells the language as well as all of it. */
const PROSE_READ_MAX = 400;
const NO_PROSE = /```[\s\S]{0,4000}?(?:```|$)|`[^`\n]{0,200}`|https?:\/\/\S{1,300}|[\w.+-]{1,60}@[\w.-]{1,60}/g;
const MAY_HOLD_NO_PROSE = /[`@]|:\/\//;
const ASCII = /[\0-\x7f]+/g;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const HAN = /\p{Script=Han}+/gu;
const LATIN = /\p{Script=Latin}+/gu;
const LETTERS = /\p{L}+/gu;

/** Words of a text of which some tell no language. */
const SHORT_WORDS_MAX = 12;

/** As its words say nothing, or as much for one language as for another; a text with words of another language is one. */
export function isTooShortToTell(plain: string): boolean {
  const words = plain.slice(0, PROSE_READ_MAX).match(WORD) ?? [];
  if (words.length > SHORT_WORDS_MAX || /[^\p{Script=Latin}\p{P}\p{N}\p{S}\s]/u.test(plain)) return false;
  const isAscii = !/[^\0-\x7f]/.test(plain);
  const [best, second] = pointsOf(plain, isAscii);
  return best.sum === 0 || best.sum === second.sum;
}

/** Undefined where it is another language, or too little is said to tell. */
export function languageOf(text: string): Language | undefined {
  return languageOfPlain(plainText(text.slice(0, TEXT_READ_MAX)));
}

/** The same of a text as `plainText` gives it. */
export function languageOfPlain(plain: string): Language | undefined {
  const read = plain.slice(0, TEXT_READ_MAX);
  const prose = (MAY_HOLD_NO_PROSE.test(read) ? read.replace(NO_PROSE, ' ') : read).slice(0, PROSE_READ_MAX);
  const beyond = prose.replace(ASCII, '\n');
  const isAscii = beyond.length <= 1;
  if (isAscii) return byWords(prose, isAscii);
  const letters = count(prose, LETTERS);
  const [kana, han] = [count(beyond, KANA), count(beyond, HAN)];
  // A Japanese or Chinese sentence may hold many Latin names; one of them says as much as several letters.
  if (2 * (kana + han) * 2 >= letters && kana + han > 0) return kana * 10 >= kana + han ? 'Japanese' : 'Chinese';
  return 2 * count(prose, LATIN) > letters ? byWords(prose, isAscii) : undefined;
}

const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]+/gu;

/** A name in such a script does not make it one. */
export function isWrittenWithoutSpaces(text: string): boolean {
  const read = text.slice(0, TEXT_READ_MAX);
  return 4 * count(read, WITHOUT_SPACES) > count(read, LETTERS);
}

function byWords(prose: string, isAscii: boolean): Language | undefined {
  const [best, second] = pointsOf(prose, isAscii);
  if (best.language === 'none' || best.sum === 0) return undefined;
  return best.sum > second.sum && !isOfRelative(prose, best.language) ? best.language : undefined;
}

/** As many words that only the relative has as words that only the language has. */
function isOfRelative(prose: string, language: Language): boolean {
  const theirs = RELATIVES.get(language);
  if (theirs === undefined) return false;
  const own = PHRASES[language].words;
  let lead = 0;
  let isAny = false;
  for (const word of prose.match(WORD) ?? []) {
    if (own.has(word) && !theirs.has(word)) lead += 1;
    if (theirs.has(word) && !own.has(word)) {
      lead -= 1;
      isAny = true;
    }
  }
  return isAny && lead <= 0;
}

interface Points {
  readonly language: Language | 'none';
  readonly sum: number;
}

/** The best, and the next best; among equals the one that stands first in the list goes before. */
function pointsOf(prose: string, isAscii: boolean): readonly [Points, Points] {
  const points = new Array<number>(CANDIDATES.length).fill(0);
  const add = (from: number, to: number, isJoined: boolean) => {
    // "l'adresse" is written as one word.
    const elided = isJoined ? withoutElision(prose.slice(from, to)) : '';
    const places = CANDIDATES_OF.find(prose, from, to) ?? (isJoined && CANDIDATES_OF.find(elided, 0, elided.length));
    for (const place of places || NOWHERE) points[place] = (points[place] ?? 0) + 1;
  };
  if (isAscii) plainWordsIn(prose, add);
  else for (const { 0: word, index } of prose.matchAll(WORD)) add(index, index + word.length, JOINT.test(word));
  if (!isAscii || prose.includes("'")) {
    for (const [marks, language] of MARKS) {
      const found = prose.match(marks)?.length ?? 0;
      if (found === 0) continue;
      for (const [place, [of]] of CANDIDATES.entries())
        if (of === language) points[place] = (points[place] ?? 0) + found;
    }
  }
  let best: Points = NO_POINTS;
  let second: Points = NO_POINTS;
  for (const [place, [language]] of CANDIDATES.entries()) {
    const sum = points[place] ?? 0;
    if (sum > best.sum) [best, second] = [{ language, sum }, best];
    else if (sum > second.sum) second = { language, sum };
  }
  return [best, second];
}

/** The runs of small letters, joined by single `'` and `-`. By hand, because every answer is read. */
function plainWordsIn(prose: string, found: (from: number, to: number, isJoined: boolean) => void): void {
  let from = -1;
  let isJoined = false;
  for (let at = 0; at <= prose.length; at += 1) {
    const isLetter = isSmallLetter(prose.charCodeAt(at));
    if (from < 0) {
      if (isLetter) [from, isJoined] = [at, false];
      continue;
    }
    if (isLetter) continue;
    if (isJointAt(prose, at) && isSmallLetter(prose.charCodeAt(at + 1))) {
      isJoined = true;
      continue;
    }
    found(from, at, isJoined);
    from = -1;
  }
}

/** Not a number, beyond the end. */
function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isJointAt(prose: string, at: number): boolean {
  const code = prose.charCodeAt(at);
  return code === 0x27 || code === 0x2d;
}

const NOWHERE: readonly number[] = [];
const NO_POINTS: Points = { language: 'none', sum: 0 };

const WORD = /\p{L}+(?:['-]\p{L}+)*/gu;
const JOINT = /['-]/;

function withoutElision(word: string): string {
  return word.replace(/^.{1,2}'|-.{1,6}$/u, '');
}

/** Characters in such runs. */
function count(text: string, runs: RegExp): number {
  return (text.match(runs) ?? []).reduce((sum, run) => sum + run.length, 0);
}
