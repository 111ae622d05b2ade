/**
 * Grades a call as a step of its tool: how right and how close its arguments are, and whether its result has the
 * expected kind. Grades are cached, and arguments of the same text are read once. Nothing is set up before it is
 * needed, because in most runs each step has the very call that it had in the run before.
 */
import type { Json } from '../../model/json.ts';
import type { Content } from '../../model/step.ts';
import type { ToolCall } from '../../model/turn.ts';
import type { ExpectedStep, GoldenTrace, Observation } from './golden-trace.ts';
import {
  type ArgumentScope,
  type ArgumentsMatcher,
  argumentsFor,
  CLOSEST,
  closenessIn,
  compareArguments,
  type GivenArguments,
  pointsIn,
  RIGHT,
} from './match-arguments.ts';
import { isExpected, observationOf } from './observation.ts';
import type { Run } from './run.ts';

/** Closeness of a perfect pair: the arguments, and one more for the result. */
export const CLOSENESS = CLOSEST + 1;

/** The grade of a pair is that of its arguments, one more for a fitting result, and one more so as never to be 0. */
const SEEN = 1;
export const PERFECT = RIGHT + 1 + SEEN;
/** Beyond all grades. */
export const GRADES = PERFECT + 1;

const REMEMBERED_LENGTH_MAX = 10_000;

export interface CompareOptions {
  readonly isWrite: (tool: string) => boolean;
  readonly scope: ArgumentScope;
  readonly unsafe: ReadonlyMap<ToolCall, string>;
}

export class PairGrades {
  readonly #trace: GoldenTrace;
  readonly #run: Run;
  readonly #options: CompareOptions;
  #known: Uint8Array | undefined;
  readonly #read: (ReadCall | undefined)[] = [];
  readonly #argsByText = new Map<string, Json>();

  constructor(trace: GoldenTrace, run: Run, options: CompareOptions) {
    this.#trace = trace;
    this.#run = run;
    this.#options = options;
  }

  /** A small number. */
  gradeOf(step: number, call: number): number {
    if (this.#known === undefined) return this.#look(step, call);
    const known = this.#known[step * this.#run.calls.length + call] as number;
    return known === 0 ? this.#look(step, call) : known;
  }

  #look(at: number, place: number): number {
    const step = this.#trace.steps[at];
    const call = this.#run.calls[place];
    if (step === undefined || call === undefined) return SEEN;
    const { args } = step;
    const read = this.#read[place];
    if (args === undefined || (read === undefined && wasRight(args, call.args))) {
      return gradeIn(RIGHT, this.#isUnsafe(call), fits(observationOf(call), step));
    }
    const known = read ?? this.#readCall(call, place);
    const given = known.given?.keys === args.keys ? known.given : argumentsFor(args, known.json);
    known.given = given;
    const compared = compareArguments(args, given, this.#options.scope);
    if (pointsIn(compared) === 2) remember(args, call.args);
    const grade = gradeIn(compared, known.isUnsafe, fits(known.observation, step));
    const { length } = this.#run.calls;
    this.#known ??= new Uint8Array(this.#trace.steps.length * length);
    this.#known[at * length + place] = grade;
    return grade;
  }

  #isUnsafe(call: ToolCall): boolean {
    return this.#options.unsafe.size > 0 && this.#options.unsafe.has(call);
  }

  #readCall(call: ToolCall, place: number): ReadCall {
    const json = this.#jsonOf(call.args);
    const read = { json, given: undefined, observation: observationOf(call), isUnsafe: this.#isUnsafe(call) };
    this.#read[place] = read;
    return read;
  }

  #jsonOf(args: Content): Json {
    if (!isObjectText(args)) return args.json;
    let json = this.#argsByText.get(args.text);
    if (json === undefined) {
      json = args.json;
      this.#argsByText.set(args.text, json);
    }
    return json;
  }
}

/** Cache for a call that is compared with several steps. */
interface ReadCall {
  readonly json: Json;
  given: GivenArguments | undefined;
  readonly observation: Observation | undefined;
  readonly isUnsafe: boolean;
}

function gradeIn(compared: number, isUnsafe: boolean, isFit: boolean): number {
  return (isUnsafe ? closenessIn(compared) : compared) + (isFit ? 1 : 0) + SEEN;
}

/** A call that failed and was made again is not the one that was meant. */
function fits(observed: Observation | undefined, { observation }: ExpectedStep): boolean {
  return isExpected(observed, observation ?? 'success');
}

/** The step score, doubled. */
export function pairPointsIn(grade: number): 0 | 1 | 2 {
  return pointsIn(grade - SEEN);
}

/** 0 to CLOSENESS. */
export function pairClosenessIn(grade: number): number {
  return closenessIn(grade - SEEN);
}

/** Whether the text alone says so. Once arguments had to be read, comparing them is as cheap. */
function wasRight({ lastRight }: ArgumentsMatcher, args: Content): boolean {
  return lastRight?.text !== undefined && args.state === 'whole' && args.text === lastRight.text;
}

function remember({ lastRight }: ArgumentsMatcher, args: Content): void {
  if (lastRight === undefined || !isObjectText(args) || args.text.length > REMEMBERED_LENGTH_MAX) return;
  lastRight.text = args.text;
}

/** Text of an object: other texts may stand for values of several types. */
function isObjectText(args: Content): boolean {
  return args.state === 'whole' && args.text.startsWith('{');
}
