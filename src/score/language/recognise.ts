/**
 * The language of a text, where it is one that the rules of thumb know. By its script first: kana are Japanese, Han characters without kana
 * Chinese, and what is mostly written in any other script than Latin is none of theirs. In Latin script by function words: each language
 * has as many points as its words occur, and some for letters that only it has; the best one is taken where it leads. Languages that are
 * not known take part, so that Dutch is not taken for German.
 *
 * Code, links and quoted text say nothing of the language, and are left out. Nothing is guessed: a text without such words has none.
 */
import { type Language, PHRASES } from './languages.ts';
import { plainText } from './phrases.ts';

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
} as const;

const LETTERS: readonly (readonly [RegExp, Language | 'none'])[] = [
  [/[ß]|(?:^|[^\p{L}])(?:für|über|können|möchte|rück)/gu, 'German'],
  [/[¿¡ñ]|ción(?!\p{L})/gu, 'Spanish'],
  [/[ãõ]|ção(?!\p{L})|ções(?!\p{L})/gu, 'Portuguese'],
  [/œ|(?<!\p{L})(?:[cdjlmnst]|qu)'(?=\p{L})/gu, 'French'],
  [/[łżśąęğşıřžčåøæșț]/gu, 'none'],
];

const FUNCTION_WORDS: readonly (readonly [Language | 'none', ReadonlySet<string>])[] = [
  ...(['English', 'German', 'Spanish', 'French', 'Portuguese'] as const).map(
    (language) => [language, PHRASES[language].words] as const,
  ),
  ...Object.values(OTHERS).map((words) => ['none', new Set(words.split(' '))] as const),
];

const TEXT_READ_MAX = 4000;
const NO_PROSE = /```[\s\S]{0,4000}?(?:```|$)|`[^`\n]{0,200}`|https?:\/\/\S{1,300}|[\w.+-]{1,60}@[\w.-]{1,60}/g;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const HAN = /\p{Script=Han}/gu;
const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;

/** Undefined where it is another language, or too little is said to tell. */
export function languageOf(text: string): Language | undefined {
  const prose = plainText(text.slice(0, TEXT_READ_MAX)).replace(NO_PROSE, ' ');
  const letters = count(prose, LETTER);
  const [kana, han] = [count(prose, KANA), count(prose, HAN)];
  // A Japanese or Chinese sentence may hold many Latin names; one of them says as much as several letters.
  if (2 * (kana + han) * 2 >= letters && kana + han > 0) return kana * 10 >= kana + han ? 'Japanese' : 'Chinese';
  return 2 * count(prose, LATIN) > letters ? byWords(prose) : undefined;
}

const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;

/** A name in such a script does not make it one. */
export function isWrittenWithoutSpaces(text: string): boolean {
  const read = text.slice(0, TEXT_READ_MAX);
  return 4 * count(read, WITHOUT_SPACES) > count(read, LETTER);
}

function byWords(prose: string): Language | undefined {
  const words = prose.match(/\p{L}+(?:['-]\p{L}+)*/gu) ?? [];
  const points = FUNCTION_WORDS.map(([language, known]) => {
    const letters = LETTERS.filter(([, of]) => of === language).reduce((sum, [marks]) => sum + count(prose, marks), 0);
    return { language, sum: words.filter((word) => isOneOf(known, word)).length + letters };
  });
  points.sort((a, b) => b.sum - a.sum);
  const [best, second] = points;
  if (best === undefined || second === undefined || best.language === 'none' || best.sum === 0) return undefined;
  return best.sum > second.sum ? best.language : undefined;
}

/** "l'adresse" is written as one word. */
function isOneOf(known: ReadonlySet<string>, word: string): boolean {
  return known.has(word) || known.has(word.replace(/^.{1,2}'|-.{1,6}$/u, ''));
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
