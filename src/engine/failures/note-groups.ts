/**
 * Groups of notes that share words, and a name for each, made without a model. Words that mean nothing by themselves are
 * left out, endings are cut off, and rare words count more. The same notes give the same groups.
 */
import { WORDS } from '../../language/languages.ts';
import { PHRASES } from '../../language/phrases.ts';
import { KIND_CHARACTERS_MAX, kindName } from '../../model/named-kinds.ts';

const NOTES_MAX = 200;
const WORDS_MAX = 60;
const NOTE_CHARACTERS_MAX = 2000;
/** Cosine of two notes that belong together. */
const ALIKE = 0.25;
const NAME_WORDS = 3;
const WORD_CHARACTERS_MAX = 30;
const STEM_CHARACTERS = 6;
const STEM_MIN = 4;

/** Words from the notes' own text, also where a script has no spaces. */
const SEGMENTS = new Intl.Segmenter('en', { granularity: 'word' });
/** The lists of function words have some that failures are about, such as *refund*: these are kept. */
const ACTIONS = new RegExp(
  Object.values(WORDS)
    .flatMap(({ actions }) => Object.values(actions))
    .filter((stems) => stems !== '')
    .join('|'),
  'u',
);
const EMPTY: ReadonlySet<string> = new Set(
  Object.values(PHRASES)
    .flatMap(({ words }) => [...words])
    .filter((word) => !ACTIONS.test(word)),
);

/** Numbers, single letters, and endings and particles of Japanese. */
const MEANS_NOTHING = /^(?:\p{N}+|\p{Script=Latin}|\p{Script=Hiragana}{1,3})$/u;

/** Each with the places of its notes, at least two. */
export function noteGroups(
  notes: readonly string[],
): readonly { readonly name: string; readonly places: readonly number[] }[] {
  const read = notes.slice(0, NOTES_MAX).map(stemsOf);
  const weights = weightsOf(read);
  const sizeOf = (stems: ReadonlySet<string>) =>
    [...stems].reduce((sum, stem) => sum + (weights.get(stem) ?? 0) ** 2, 0);
  const sized = read.map((one) => new Set(one.keys())).map((stems) => ({ stems, size: sizeOf(stems) }));
  const near = sized.map(({ stems, size }) =>
    sized.flatMap((other, at) => {
      const shared = sizeOf(stems.intersection(other.stems));
      return shared > 0 && shared >= ALIKE * Math.sqrt(size * other.size) ? [at] : [];
    }),
  );
  const groups: ReturnType<typeof noteGroups>[number][] = [];
  const left = new Set(near.keys());
  for (;;) {
    const [best = []] = [...left]
      .map((place) => (near[place] ?? []).filter((at) => left.has(at)))
      .toSorted((a, b) => b.length - a.length);
    if (best.length < 2) return groups;
    for (const place of best) left.delete(place);
    groups.push({ name: nameOf(best.flatMap((place) => read[place] ?? [])), places: best });
  }
}

/** Words as they were written, by their stems, in their order. */
type Stems = ReadonlyMap<string, string>;

function stemsOf(note: string): Stems {
  const stems = new Map<string, string>();
  const text = note.slice(0, NOTE_CHARACTERS_MAX).normalize('NFKC').toLowerCase();
  for (const { segment, isWordLike } of SEGMENTS.segment(text)) {
    if (isWordLike !== true || segment.length > WORD_CHARACTERS_MAX || EMPTY.has(segment)) continue;
    if (MEANS_NOTHING.test(segment)) continue;
    const stem = stemOf(segment);
    if (!stems.has(stem)) stems.set(stem, segment);
    if (stems.size === WORDS_MAX) break;
  }
  return stems;
}

/** Without accents and a common ending, and no more than its first letters. */
function stemOf(word: string): string {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const stem = plain.replace(/(?:ing|ed|es|en|s|e)$/, '');
  return (stem.length < STEM_MIN ? plain : stem).slice(0, STEM_CHARACTERS);
}

function weightsOf(notes: readonly Stems[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stems of notes) for (const stem of stems.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return new Map([...counts].map(([stem, count]) => [stem, Math.log(1 + notes.length / count)]));
}

/** The commonest stems, as the note writes them that has most of them. */
function nameOf(notes: readonly Stems[]): string {
  const all = notes.flatMap((stems) => [...stems.keys()]);
  const common = [...Map.groupBy(all, (stem) => stem).values()]
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, NAME_WORDS)
    .flatMap(([stem]) => stem ?? []);
  const [words = []] = notes
    .map((stems) => [...stems].flatMap(([stem, word]) => (common.includes(stem) ? [word] : [])))
    .toSorted((a, b) => b.length - a.length || (a.join() < b.join() ? -1 : 1));
  return kindName(words.join(' ')).slice(0, KIND_CHARACTERS_MAX).toWellFormed().trim();
}
