/** The work is done well, and the answer says something else: other figures, or the contrary. */
import type { Chance } from '../chance.ts';
import { withTurn } from '../edit.ts';
import type { Broken, Fault, Scene } from '../fault.ts';
import { knownTexts } from '../known-texts.ts';
import { otherValue } from '../other-value.ts';
import { ofTurn, short } from '../wording.ts';

export const answerContradicts: Fault = {
  name: 'answer_contradicts',
  description: 'the answer says other figures, or the contrary',
  placesIn: (scene) =>
    scene.excerpt.turns.flatMap(({ answer = '' }, turn) => {
      if (answer.trim() === '') return [];
      const contrary = () => saying(contraryOf(answer), { scene, turn, isFigures: false });
      const figures = (chance: Chance) => {
        const other = withOtherFigures(answer, chance, scene);
        return other === undefined ? undefined : saying(other, { scene, turn, isFigures: true });
      };
      return /\d/.test(answer) ? [figures, contrary] : [contrary];
    }),
};

function saying(
  answer: string,
  { scene, turn, isFigures }: { readonly scene: Scene; readonly turn: number; readonly isFigures: boolean },
): Broken {
  const { excerpt } = scene;
  return {
    excerpt: withTurn(excerpt, turn, { answer }),
    what: `the answer${ofTurn(turn, excerpt)} said ${isFigures ? 'other figures' : 'the contrary'}: '${short(answer)}'`,
    advice: isFigures
      ? 'uses: grounded, or output_contains with a golden trace'
      : 'judge: { uses: grounded_in_context }, or output_contains with a golden trace',
  };
}

const FIGURE = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\d{1,15}/;

/** The first one that can be another: the others may depend on it. */
function withOtherFigures(answer: string, chance: Chance, { excerpt }: Scene): string | undefined {
  const found = FIGURE.exec(answer);
  if (found === null) return undefined;
  const other = otherValue(found[0], { chance, known: knownTexts(excerpt) });
  if (typeof other !== 'string') return undefined;
  return `${answer.slice(0, found.index)}${other}${answer.slice(found.index + found[0].length)}`;
}

const VERB = /\b(?:is|are|was|were|has been|have been|can|will|does|do)\b(?! not|n't)/i;
const DONE = 'No, that was not done.';

function contraryOf(answer: string): string {
  const none = /^Not (\p{L})/u.exec(answer);
  if (none !== null) return `${none[1]?.toUpperCase()}${answer.slice(none[0].length)}`;
  const denial = /\b(?:is|are|was|were|can|will|does|do) not\b/i.exec(answer);
  if (denial !== null) {
    const end = denial.index + denial[0].length;
    return `${answer.slice(0, end - ' not'.length)}${answer.slice(end)}`;
  }
  const verb = VERB.exec(answer);
  if (verb === null) return DONE;
  const end = verb.index + verb[0].split(' ', 1).join('').length;
  return `${answer.slice(0, end)} not${answer.slice(end)}`;
}
