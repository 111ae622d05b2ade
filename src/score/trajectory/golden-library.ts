/**
 * The golden traces of a suite, and which of them is meant for a conversation, in this order:
 *
 * 1. the truth of the conversation names a trace by its id, as `golden`: that one or none;
 * 2. the conversation names its scenario in an attribute, and a trace is of that scenario;
 * 3. it names tags in an attribute, and exactly one trace has them all; of several, the one with the most similar input;
 * 4. the trace with the most similar input, if it is similar enough.
 *
 * The input is the first request of the conversation. Among equals the first id wins, so the order of files and of the traces in them makes no difference. Drafts are never chosen.
 */
import { NO_GOLDEN_TRACE } from '../../model/compared-traces.ts';
import type { Json } from '../../model/json.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import type { Subject } from '../subject/subject.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { saidOf } from '../subject/tool-effects.ts';
import type { GoldenTrace } from './golden-trace.ts';
import { type ComparableInput, comparableInput, similarity } from './input-similarity.ts';

export interface GoldenChoice {
  /** The attribute that names a conversation's scenario. */
  readonly scenario: string;
  /** The attribute that names tags, with commas between them. */
  readonly tags: string;
  /** Least similarity of the inputs, from 0 to 1; `false` does not compare them. */
  readonly similarity: number | false;
}

const DEFAULT_CHOICE: GoldenChoice = { scenario: 'assay.scenario', tags: 'assay.tags', similarity: 0.8 };

type Chosen =
  | { readonly trace: GoldenTrace; readonly because: string }
  | { readonly trace: undefined; readonly because: string };

export class GoldenLibrary {
  /** Traces that are used. */
  readonly traces: readonly GoldenTrace[];
  /** Traces that nobody has approved yet. */
  readonly drafts: readonly GoldenTrace[];
  /** Which tools write and which do not, whatever they are called. It holds for all checks of the suite. */
  readonly names: ToolNames;
  /** Under which a conversation keeps how it compares with its trace. */
  readonly comparisonKey: object = {};
  readonly #saidOf: ReturnType<typeof saidOf>;
  readonly #choice: GoldenChoice;
  readonly #byScenario = new Map<string, GoldenTrace>();
  readonly #inputs: ReadonlyMap<GoldenTrace, ComparableInput>;

  constructor(traces: readonly GoldenTrace[], choice: Partial<GoldenChoice> = {}, names: ToolNames = {}) {
    this.traces = traces.filter(({ draft }) => !draft).sort((a, b) => (a.id < b.id ? -1 : 1));
    this.drafts = traces.filter(({ draft }) => draft);
    this.#choice = { ...DEFAULT_CHOICE, ...choice };
    this.names = names;
    this.#saidOf = saidOf(names);
    for (const trace of this.traces.toReversed()) this.#byScenario.set(trace.scenario, trace);
    this.#inputs = new Map(this.traces.map((trace) => [trace, comparableInput(trace.input)]));
  }

  /** A check in TypeScript may have a library that its suite does not name. */
  isWriteIn(subject: Pick<Subject, 'effectOf'>): (tool: string) => boolean {
    return (tool) => (this.#saidOf(tool) ?? subject.effectOf(tool)) === 'writes';
  }

  /** Worked out once for each conversation, however many criteria ask. */
  choose(subject: Subject): Chosen {
    return subject.once(this, () => this.#choose(subject));
  }

  #choose(subject: Subject): Chosen {
    const { attributes, truth } = subject.conversation;
    const meant = goldenIn(truth);
    if (meant !== undefined) {
      // Another one would be compared with what nobody meant.
      const trace = this.traces.find(({ id }) => id === meant);
      if (trace === undefined)
        return none(`its truth names ${toExcerpt(meant)}, and that is no approved trace of the suite`);
      return { trace, because: 'its truth names it' };
    }
    const scenario = attributes.get(this.#choice.scenario);
    const named = scenario === undefined ? undefined : this.#byScenario.get(String(scenario));
    if (named !== undefined) return { trace: named, because: `its scenario is ${toExcerpt(String(scenario))}` };

    const written = attributes.get(this.#choice.tags);
    const tags = written === undefined ? [] : splitTags(String(written));
    const tagged =
      tags.length === 0 ? [] : this.traces.filter((trace) => tags.every((tag) => trace.tags.includes(tag)));
    const [only] = tagged;
    if (only !== undefined && tagged.length === 1) {
      return { trace: only, because: `it is tagged ${toExcerpt(tags.join(', '))}` };
    }
    return this.#mostSimilar(tagged.length > 0 ? tagged : this.traces, subject);
  }

  #mostSimilar(candidates: readonly GoldenTrace[], subject: Subject): Chosen {
    const { similarity: threshold } = this.#choice;
    if (threshold === false) return none('it names no scenario and no tags of one, and inputs are not compared');
    const input = subject.turns.find(({ userInput }) => userInput.text !== '')?.userInput;
    if (input === undefined) return none('it names none, and what the user asked was not recorded');
    if (input.state !== 'whole') return none(`it names none, and what the user asked is ${input.state}`);
    const live = comparableInput(input.text);
    let best: GoldenTrace | undefined;
    let bestSimilarity = -1;
    for (const trace of candidates) {
      const comparable = this.#inputs.get(trace);
      const like = comparable === undefined ? 0 : similarity(comparable, live);
      if (like > bestSimilarity) [best, bestSimilarity] = [trace, like];
    }
    if (best === undefined) return none('there is no approved golden trace');
    const figure = bestSimilarity.toFixed(2);
    if (bestSimilarity < threshold) {
      return none(`the most similar input, of ${best.id}, is ${figure} alike, and ${threshold} is wanted`);
    }
    return { trace: best, because: `its input is ${figure} like that of the trace` };
  }
}

function goldenIn(truth: Json | undefined): string | undefined {
  if (typeof truth !== 'object' || truth === null || Array.isArray(truth)) return undefined;
  const named = Object.entries(truth).find(([key]) => key === 'golden')?.[1];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

function none(because: string): Chosen {
  return { trace: undefined, because: `${NO_GOLDEN_TRACE}${because}.` };
}

function splitTags(text: string): readonly string[] {
  return text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((tag) => tag.trim().replace(/^"|"$/g, ''))
    .filter((tag) => tag !== '');
}
