/**
 * The steps of one trace with their parents: each span once, in one order, whatever order and however often they came.
 * Parent links are what spans claim; those that lead nowhere or round in a circle are cut, and whether any led nowhere is
 * remembered.
 */
import type { SpanId } from '../../model/ids.ts';
import { OWN_SCOPE } from '../../model/marks.ts';
import type { Step } from '../../model/step.ts';
import { eachOnce } from './span-copies.ts';

export const NONE = -1;

export class Family {
  /** Steps by start time, then span id. */
  readonly steps: readonly Step[];
  readonly #parents: readonly number[];
  /** Whether some span names a parent that is not here, other than a caller in another process. */
  readonly lacksParents: boolean;

  constructor(steps: readonly Step[], parents: readonly number[], lacksParents: boolean) {
    this.steps = steps;
    this.#parents = parents;
    this.lacksParents = lacksParents;
  }

  at(index: number): Step {
    const step = this.steps[index];
    if (step === undefined) throw new RangeError(`step ${index} of ${this.steps.length} was asked for`);
    return step;
  }

  /** The parent's index, or {@link NONE}. Always ends at NONE when followed. */
  parentOf(index: number): number {
    return this.#parents[index] ?? NONE;
  }

  /** For each step its nearest ancestor that `stops` the walk, or NONE: one pass, however deep the nesting. */
  nearestAncestors(stops: (step: Step) => boolean): readonly number[] {
    const UNKNOWN = -2;
    const nearest = new Array<number>(this.steps.length).fill(UNKNOWN);
    const path: number[] = [];
    for (let index = 0; index < nearest.length; index++) {
      let at = index;
      while (nearest[at] === UNKNOWN) {
        const parent = this.parentOf(at);
        if (parent === NONE || stops(this.at(parent))) {
          nearest[at] = parent;
          break;
        }
        path.push(at);
        at = parent;
      }
      const found = nearest[at] ?? NONE;
      while (path.length > 0) nearest[path.pop() ?? 0] = found;
    }
    return nearest;
  }
}

export function familyOf(steps: readonly Step[]): Family {
  return withoutEvaluators(linked(inOrder(steps)));
}

/** The steps by their span id. Few are found faster by looking at each than by hashing ids that were just decoded. */
class StepIndexes {
  static readonly SCANNED_MAX = 16;
  readonly #ids: readonly SpanId[];
  readonly #indexes: ReadonlyMap<SpanId, number> | undefined;
  readonly areDistinct: boolean;
  #lastId: SpanId | undefined;
  #lastIndex = NONE;

  constructor(steps: readonly Step[]) {
    const ids = steps.map((step) => step.spanId);
    this.#ids = ids;
    if (ids.length <= StepIndexes.SCANNED_MAX) {
      this.areDistinct = ids.every((id, index) => ids.indexOf(id, index + 1) === NONE);
    } else {
      this.#indexes = new Map(ids.map((id, index) => [id, index]));
      this.areDistinct = this.#indexes.size === ids.length;
    }
  }

  /** NONE where there is no such step. Siblings ask for the same parent one after the other. */
  of(id: SpanId): number {
    if (id !== this.#lastId) {
      this.#lastIndex = this.#indexes === undefined ? this.#ids.indexOf(id) : (this.#indexes.get(id) ?? NONE);
      this.#lastId = id;
    }
    return this.#lastIndex;
  }
}

/** Links steps that are in order. Where a span is there more than once, one of its copies stays. */
function linked(steps: readonly Step[]): Family {
  const indexes = new StepIndexes(steps);
  if (!indexes.areDistinct) return linked(inOrder(eachOnce(steps)));
  // Plain arrays throughout: a typed array of more than eight numbers lives outside the heap and costs more than it saves.
  const parents = new Array<number>(steps.length).fill(NONE);
  let lacksParents = false;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    const parentId = step?.parentSpanId;
    if (step === undefined || parentId === undefined) continue;
    const parent = indexes.of(parentId);
    if (parent === NONE) lacksParents ||= !step.parentIsRemote;
    else if (parent !== index) parents[index] = parent;
  }
  cutCircles(parents);
  return new Family(steps, parents, lacksParents);
}

/** Each circle is cut at its earliest step, so that every walk upwards ends. */
function cutCircles(parents: number[]): void {
  // 0 where no walk has been; else the number of the walk that came by first.
  const walkedBy = new Array<number>(parents.length).fill(0);
  for (let walk = 1; walk <= parents.length; walk++) {
    let at = walk - 1;
    while (at !== NONE && walkedBy[at] === 0) {
      walkedBy[at] = walk;
      at = parents[at] ?? NONE;
    }
    if (at !== NONE && walkedBy[at] === walk) parents[earliestOnCircle(parents, at)] = NONE;
  }
}

function earliestOnCircle(parents: readonly number[], member: number): number {
  let earliest = member;
  for (let at = parents[member] ?? member; at !== member; at = parents[at] ?? member) earliest = Math.min(earliest, at);
  return earliest;
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  for (let index = 1; index < steps.length; index++) {
    const [before, after] = [steps[index - 1], steps[index]];
    if (before !== undefined && after !== undefined && byStart(before, after) > 0) return steps.toSorted(byStart);
  }
  return steps;
}

/**
 * Some SDKs give starts in whole milliseconds, in which a quick agent does several things. A model call that was given
 * more messages is the later one then; without that, the order of two tools would be that of random ids.
 */
function byStart(a: Step, b: Step): number {
  return a.startedAtMs - b.startedAtMs || rankOf(a) - rankOf(b) || byHistory(a, b) || compare(a.spanId, b.spanId);
}

/** A span that holds others comes first, and a tool after the model that may have asked for it. */
function rankOf({ kind }: Step): number {
  return kind === 'llm' ? 1 : kind === 'tool' ? 2 : 0;
}

/** Messages are decoded here only where two model calls began in one millisecond. */
function byHistory(a: Step, b: Step): number {
  return a.kind === 'llm' ? a.messagesIn.length - b.messagesIn.length : 0;
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Assay's own spans and other evaluators', with everything below them: a judge's model call is not the agent's. */
function withoutEvaluators(family: Family): Family {
  const { steps } = family;
  if (!steps.some(isEvaluator)) return family;
  const isAgents = (index: number) => {
    for (let at = index; at !== NONE; at = family.parentOf(at)) if (isEvaluator(family.at(at))) return false;
    return true;
  };
  return linked(steps.filter((_, index) => isAgents(index)));
}

function isEvaluator(step: Step): boolean {
  return step.kind === 'evaluator' || step.scopeName === OWN_SCOPE;
}
