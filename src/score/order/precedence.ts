/**
 * Which of the things done in a conversation came before which. Only what is certain is said; what nothing orders ran
 * side by side.
 *
 * 1. Turns follow one another. 2. A step comes before whatever was done within it: some frameworks write a tool's span
 * under that of the model call that asked
 *     for it, others next to it, and the answer should be the same. (So an agent comes before its tools; it began first.)
 * 3. A tool call comes after the model call that asked for it, and before the model call that was shown its result. 4.
 * By one clock, that is within one process, a step comes before another where it was over when the other began, be it
 * in the same
 *     instant. Steps without a duration that share their instant are in no order.
 * 5. Clocks of different processes are taken to agree within 100 ms: the first must have been over for as long as that.
 * A clock by
 *     which a step began before, or after the end of, the step of another process that it is part of is wrong by more, and is compared
 *     with no other.
 * 6. If this leads to a circle, evidence later in this list is ignored for the steps in it.
 *
 * A tool call that has no span is known from what models wrote: it comes by rule 3, or by the place of request and
 * result in what the agent's span recorded, and its end is known to no clock. A process is a `service.name` with its
 * `service.instance.id`, if any.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Message, Step } from '../../model/step.ts';
import type { ToolCall } from '../../model/turn.ts';
import { type Deed, deedsOf, endOf, type OrderedSubject, startOf } from './ordered-steps.ts';
import { Evidence, type PartialOrder, type Strength } from './partial-order.ts';

const PARTS = 0 satisfies Strength;
const ASKED = 1 satisfies Strength;
const SHOWN = 2 satisfies Strength;
const CLOCK = 3 satisfies Strength;
const CLOCKS = 4 satisfies Strength;

const CLOCK_SKEW_MS = 100;

/** The order of `deedsOf` the subject. */
export function precedenceOf(subject: OrderedSubject): PartialOrder {
  return subject.once(precedenceOf, () => {
    const deeds = deedsOf(subject);
    const evidence = new Evidence(deeds.length);
    const byTurn: number[][] = subject.turns.map(() => []);
    for (const [index, deed] of deeds.entries()) byTurn[deed.turn]?.push(index);
    let border: number | undefined;
    subject.turns.forEach((turn, index) => {
      const members = byTurn[index] ?? [];
      const next = evidence.moment();
      if (border !== undefined) evidence.add(border, next, PARTS);
      for (const member of members) {
        if (border !== undefined) evidence.add(border, member, PARTS);
        evidence.add(member, next, PARTS);
      }
      border = next;
      new TurnEvidence(turn, deeds, members, evidence).add();
    });
    return evidence.order();
  });
}

/** A deed with what was found out about when it was done. */
interface Timed {
  readonly index: number;
  readonly deed: Deed;
  readonly process: string;
  readonly start: number;
  /** Infinity where nobody knows. */
  readonly end: number;
}

class TurnEvidence {
  readonly #turn: OrderedSubject['turns'][number];
  readonly #evidence: Evidence;
  readonly #members: readonly (readonly [number, Deed])[];
  readonly #indexOf = new Map<SpanId, number>();
  readonly #stepOf = new Map<SpanId, Step>();

  constructor(
    turn: OrderedSubject['turns'][number],
    deeds: readonly Deed[],
    members: readonly number[],
    evidence: Evidence,
  ) {
    this.#turn = turn;
    this.#evidence = evidence;
    this.#members = members.flatMap((index) => {
      const deed = deeds[index];
      return deed === undefined ? [] : [[index, deed] as const];
    });
    for (const [index, { step }] of this.#members) {
      if (step === undefined || this.#indexOf.has(step.spanId)) continue;
      this.#indexOf.set(step.spanId, index);
      this.#stepOf.set(step.spanId, step);
    }
  }

  add(): void {
    this.#addParts();
    const processOf = processes(this.#turn.steps, this.#stepOf, this.#turn.rootSpanId);
    const timed = this.#members.map(([index, deed]) => this.#timed(index, deed, processOf.name));
    for (const [process, members] of Map.groupBy(timed, (one) => one.process)) {
      addClock(this.#evidence, members, CLOCK);
      if (processOf.untrusted.has(process)) processOf.names.delete(process);
    }
    const comparable = timed.filter(({ process }) => processOf.names.has(process));
    if (processOf.names.size > 1) addClocks(this.#evidence, comparable);
    this.#addShown(timed);
  }

  #addParts(): void {
    for (const [index, { step, call }] of this.#members) {
      const parent = step?.parentSpanId === undefined ? undefined : this.#indexOf.get(step.parentSpanId);
      if (parent !== undefined) this.#evidence.add(parent, index, PARTS);
      const asker = call?.requestedBy === undefined ? undefined : this.#indexOf.get(call.requestedBy);
      if (asker !== undefined) this.#evidence.add(asker, index, ASKED);
      const root = this.#indexOf.get(this.#turn.rootSpanId);
      if (step === undefined && asker === undefined && root !== undefined) this.#evidence.add(root, index, PARTS);
    }
  }

  #timed(index: number, deed: Deed, processOf: (step: Step | undefined) => string): Timed {
    const { step, call } = deed;
    const witness = step ?? this.#stepOf.get(call?.requestedBy ?? this.#turn.rootSpanId);
    const isDatedByItself = step !== undefined || call?.spanId !== undefined;
    return {
      index,
      deed,
      process: processOf(witness),
      start: startOf(deed),
      end: isDatedByItself ? endOf(deed) : Number.POSITIVE_INFINITY,
    };
  }

  /** Adds what models were shown. It decodes whole histories, so only if no clock decides. */
  #addShown(timed: readonly Timed[]): void {
    const models = timed.filter(({ deed }) => deed.step?.kind === 'llm');
    const positionOf = new Map(models.map(({ deed }, position) => [deed.step, position]));
    const nextOf = nextOfSameParent(models);
    const shown = new Map<Step, ReadonlySet<string>>();
    const transcript: Timed[] = [];
    for (const one of timed) {
      const { call, step } = one.deed;
      if (call === undefined) continue;
      const asker = call.requestedBy === undefined ? undefined : this.#stepOf.get(call.requestedBy);
      const position = positionOf.get(asker);
      if (asker === undefined || position === undefined) {
        if (step === undefined) transcript.push(one);
        continue;
      }
      const next = nextOf.get(asker);
      if (next === undefined || (next.process === one.process && one.end < next.start)) continue;
      const later = models.slice(position + 1, position + 1 + MODELS_ASKED_MAX);
      const reader = readerOf(call, later, shown) ?? (wasShown(call) ? next : undefined);
      if (reader !== undefined) this.#evidence.add(one.index, reader.index, SHOWN);
    }
    const root = this.#stepOf.get(this.#turn.rootSpanId);
    if (transcript.length > 1 && root !== undefined) addTranscript(this.#evidence, root.messagesOut, transcript);
  }
}

function nextOfSameParent(models: readonly Timed[]): ReadonlyMap<Step, Timed> {
  const next = new Map<Step, Timed>();
  const upcoming = new Map<SpanId | undefined, Timed>();
  for (const model of models.toReversed()) {
    const { step } = model.deed;
    if (step === undefined) continue;
    const following = upcoming.get(step.parentSpanId);
    if (following !== undefined) next.set(step, following);
    upcoming.set(step.parentSpanId, model);
  }
  return next;
}

/** A result is shown to the next model call, or to one soon after where agents work side by side. */
const MODELS_ASKED_MAX = 16;

function readerOf(
  { id }: ToolCall,
  models: readonly Timed[],
  shown: Map<Step, ReadonlySet<string>>,
): Timed | undefined {
  if (id === undefined) return undefined;
  return models.find(({ deed: { step } }) => {
    if (step === undefined) return false;
    let ids = shown.get(step);
    if (ids === undefined) {
      ids = new Set(resultsIn(step.messagesIn));
      shown.set(step, ids);
    }
    return ids.has(id);
  });
}

/** True if a result is known only because a model was shown it: the call has no span. */
function wasShown({ spanId, answered, id }: ToolCall): boolean {
  return spanId === undefined && answered && id === undefined;
}

function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_result' && part.id !== undefined ? [part.id] : [])),
  );
}

/**
 * A chain for each clock: a thing leads to the moment in which it was over, and the moment in which a thing began leads
 * to it.
 */
function addClock(evidence: Evidence, members: readonly Timed[], strength: Strength): void {
  const starts = [...new Set(members.map(({ start }) => start))].sort((a, b) => a - b);
  // Order within an instant: what was running ends, then what takes no time happens, then what takes time begins.
  const ends = starts.map(() => evidence.moment());
  const begins = starts.map(() => evidence.moment());
  const at = new Map(starts.map((start, position) => [start, position]));
  for (let position = 0; position < starts.length; position++) {
    evidence.add(ends[position] ?? 0, begins[position] ?? 0, strength);
    if (position > 0) evidence.add(begins[position - 1] ?? 0, ends[position] ?? 0, strength);
  }
  for (const { index, start, end } of members) {
    const isInstant = start === end;
    const began = at.get(start) ?? 0;
    evidence.add((isInstant ? ends[began] : begins[began]) ?? 0, index, strength);
    const over = firstNotBelow(starts, end);
    if (over < starts.length) evidence.add(index, (isInstant ? begins[over] : ends[over]) ?? 0, strength);
  }
}

/** Adds the order by several clocks, which takes a margin between an end and a beginning. */
function addClocks(evidence: Evidence, members: readonly Timed[]): void {
  const starts = [...new Set(members.map(({ start }) => start))].sort((a, b) => a - b);
  const moments = starts.map(() => evidence.moment());
  const at = new Map(starts.map((start, position) => [start, position]));
  for (let position = 1; position < moments.length; position++) {
    evidence.add(moments[position - 1] ?? 0, moments[position] ?? 0, CLOCKS);
  }
  for (const { index, start, end } of members) {
    evidence.add(moments[at.get(start) ?? 0] ?? 0, index, CLOCKS);
    const over = firstNotBelow(starts, end + CLOCK_SKEW_MS);
    if (over < starts.length) evidence.add(index, moments[over] ?? 0, CLOCKS);
  }
}

function firstNotBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Processes {
  readonly name: (step: Step | undefined) => string;
  /** Steps whose clocks can be compared with those of others. */
  readonly names: Set<string>;
  readonly untrusted: ReadonlySet<string>;
}

/** Compares the steps without their attributes, which would have to be read. */
export function isOneProcess(steps: readonly Step[]): boolean {
  const serviceName = steps[0]?.serviceName;
  return steps.every((step) => step.serviceName === serviceName && !step.parentIsRemote);
}

function processes(steps: readonly Step[], stepOf: ReadonlyMap<SpanId, Step>, rootId: SpanId): Processes {
  if (isOneProcess(steps)) return { name: () => '', names: new Set(['']), untrusted: new Set() };
  const known = new Map<Step | undefined, string>();
  for (const step of steps) {
    known.set(step, `${step.serviceName ?? ''}\n${step.attributes.get('service.instance.id') ?? ''}`);
  }
  const root = stepOf.get(rootId);
  const name = (step: Step | undefined) => known.get(step) ?? known.get(root) ?? '';
  const untrusted = new Set<string>();
  for (const step of steps) {
    const parent = step.parentSpanId === undefined ? undefined : stepOf.get(step.parentSpanId);
    if (parent === undefined || name(step) === name(parent)) continue;
    const isOutside =
      step.startedAtMs < parent.startedAtMs - CLOCK_SKEW_MS || step.startedAtMs > parent.endedAtMs + CLOCK_SKEW_MS;
    // The clock of the root's process is the one to go by.
    if (isOutside) untrusted.add(name(step) === name(root) ? name(parent) : name(step));
  }
  return { name, names: new Set(known.values()), untrusted };
}

/** Calls that only the agent's span tells of: one whose result stands before the request of another came before it. */
function addTranscript(evidence: Evidence, messages: readonly Message[], calls: readonly Timed[]): void {
  const waiting = [...calls];
  const open: Timed[] = [];
  let moment: number | undefined;
  const take = (from: Timed[], fits: (call: ToolCall) => boolean): Timed | undefined => {
    const at = from.findIndex(({ deed }) => deed.call !== undefined && fits(deed.call));
    return at < 0 ? undefined : from.splice(at, 1)[0];
  };
  const since = messages.findLastIndex(({ role }) => role === 'user') + 1;
  for (const part of messages.slice(since).flatMap(({ parts }) => parts)) {
    if (part.type === 'tool_call') {
      const call = take(waiting, ({ id, name }) => id === part.id && name === part.name);
      if (call === undefined) continue;
      open.push(call);
      if (moment !== undefined) evidence.add(moment, call.index, SHOWN);
    } else if (part.type === 'tool_result') {
      const call = take(open, ({ id }) => id === part.id || part.id === undefined);
      if (call === undefined) continue;
      const next = evidence.moment();
      evidence.add(call.index, next, SHOWN);
      if (moment !== undefined) evidence.add(moment, next, SHOWN);
      moment = next;
    }
  }
}
