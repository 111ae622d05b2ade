/**
 * Groups of notes that share words, and a name for each, made without a model. Words that mean nothing by themselves are
 * left out, endings are cut off, and rare words count more. The same notes give the same groups.
 */
import { WORDS } from '../../language/languages.ts';
import { PHRASES } from '../../language/phrases.ts';
import { KIND_CHARACTERS_MAX, kindName } from '../../model/named-kinds.ts';

export interface NoteGroup {
  readonly name: string;
  /** Places of its notes, at least two. */
  readonly places: readonly number[];
}

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

export function noteGroups(notes: readonly string[]): readonly NoteGroup[] {
  const read = notes.slice(0, NOTES_MAX).map(stemsOf);
  const weights = weightsOf(read);
  const square = (stem: string) => (weights.get(stem) ?? 0) ** 2;
  const sizes = read.map((stems) => [...stems.keys()].reduce((sum, stem) => sum + square(stem), 0));
  const isAlike = (one: number, other: number) => {
    const stems = read[other];
    let shared = 0;
    for (const stem of read[one]?.keys() ?? []) if (stems?.has(stem) === true) shared += square(stem);
    return shared > 0 && shared >= ALIKE * Math.sqrt((sizes[one] ?? 0) * (sizes[other] ?? 0));
  };
  const near = read.map((_, one) => [...read.keys()].filter((other) => isAlike(one, other)));
  const groups: NoteGroup[] = [];
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
  const found = notes.flatMap((stems) => [...stems.keys()].map((stem, place) => ({ stem, place })));
  const counts = [...Map.groupBy(found, ({ stem }) => stem)]
    .map(([stem, some]) => ({ stem, count: some.length, places: some.reduce((sum, { place }) => sum + place, 0) }))
    .filter(({ count }) => count > 1)
    .toSorted((a, b) => b.count - a.count || a.places - b.places || (a.stem < b.stem ? -1 : 1));
  const common = new Set(counts.slice(0, NAME_WORDS).map(({ stem }) => stem));
  const [words = []] = notes
    .map((stems) => [...stems].flatMap(([stem, word]) => (common.has(stem) ? [word] : [])))
    .toSorted((a, b) => b.length - a.length || (a.join() < b.join() ? -1 : 1));
  return kindName(words.join(' ')).slice(0, KIND_CHARACTERS_MAX).toWellFormed().trim();
}
