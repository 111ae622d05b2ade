/**
 * npm run bench -- trajectory [--json]
 *
 * The cost of comparing one run with its golden trace, compared with `agentevals` on the same corpus, in the four modes
 * that both have. The runs have 2, 20 and 200 calls. They are correct, have a call too many, one too few, a wrong
 * argument, two calls swapped, or are in no order at all. The benchmark also lists the cases in which the two answers
 * differ, with the reason.
 *
 * Both begin with objects that hold arguments as JSON text, as they come from spans. The library agentevals returns yes
 * or no, and stops at the first difference. Ours is the whole comparison: alignment, score and the first step that went
 * wrong. The first run installs agentevals: see bench/trajectory/package.json.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Json } from '../src/model/json.ts';
import type { ToolCall, Turn } from '../src/model/turn.ts';
import { compareRun } from '../src/score/trajectory/compare-run.ts';
import { firstWrong } from '../src/score/trajectory/describe-comparison.ts';
import type { GoldenTrace, MatchMode } from '../src/score/trajectory/golden-trace.ts';
import { readGolden } from '../src/score/trajectory/read-golden.ts';
import { runOf } from '../src/score/trajectory/run.ts';
import { effectByName } from '../src/score/subject/effect-by-name.ts';
import { randomFrom, shuffled } from '../test/random.ts';
import { aStep, aTurn } from '../test/score/conversations.ts';
import type { BenchRow } from './row.ts';

const PACKAGE = path.resolve(import.meta.dirname, 'trajectory');

interface Call {
  readonly tool: string;
  /** JSON text. */
  readonly args: string;
}

type ArgumentRule = (output: Record<string, unknown>, reference: Record<string, unknown>) => boolean;

interface AgentEvals {
  createTrajectoryMatchEvaluator(options: {
    readonly trajectoryMatchMode: string;
    readonly toolArgsMatchMode?: string;
    readonly toolArgsMatchOverrides?: Readonly<Record<string, ArgumentRule>>;
  }): (runs: { readonly outputs: readonly object[]; readonly referenceOutputs: readonly object[] }) => Promise<{
    readonly score: boolean;
  }>;
}

/** Our mode, and the name of theirs. */
const MODES = [
  ['exact', 'strict'],
  ['any_order', 'unordered'],
  ['superset', 'superset'],
  ['subset', 'subset'],
] as const satisfies readonly (readonly [MatchMode, string])[];

export interface TrajectoryBenchOptions {
  readonly lengths: readonly number[];
  readonly rounds: number;
  readonly runsOfEach: number;
}

export async function benchTrajectory(options: TrajectoryBenchOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const agentevals = await loadAgentEvals();
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const length of options.lengths) {
    const corpus = corpusOf(length, options.runsOfEach);
    const disagreements = new Map<string, number>();
    for (const [mode, theirMode] of MODES) {
      const evaluator = agentevals.createTrajectoryMatchEvaluator({ trajectoryMatchMode: theirMode });
      const prepared = corpus.map(({ kind, reference, run }) => ({
        kind,
        trace: traceOf(reference, mode),
        turn: toTurn(run),
        outputs: run.map(toMessage),
        referenceOutputs: reference.map(toMessage),
      }));
      // Each comparison is timed separately, ours and theirs alternating, and the best round of each counts, because a
      // disturbance of the machine affects both, and seldom every round.
      const ours = prepared.map(() => Number.POSITIVE_INFINITY);
      const theirs = prepared.map(() => Number.POSITIVE_INFINITY);
      for (let round = 0; round < options.rounds; round += 1) {
        for (const [index, { kind, trace, turn, outputs, referenceOutputs }] of prepared.entries()) {
          for (const { args } of turn.toolCalls) if (args instanceof Arguments) args.forget();
          let start = performance.now();
          const said = follows(trace, turn);
          ours[index] = Math.min(ours[index] ?? 0, performance.now() - start);
          start = performance.now();
          const { score } = await evaluator({ outputs, referenceOutputs });
          theirs[index] = Math.min(theirs[index] ?? 0, performance.now() - start);
          if (round > 0 || score === said) continue;
          const key = `${length} calls, ${mode} (${theirMode}), ${kind}: ours ${said}, agentevals ${score}`;
          disagreements.set(key, (disagreements.get(key) ?? 0) + 1);
        }
      }
      const [best, reference] = [mean(ours), mean(theirs)];
      rows.push({
        name: `${length} calls, ${mode}: µs a comparison (reference: agentevals, ${theirMode})`,
        ours: Math.round(best * 1e5) / 100,
        reference: Math.round(reference * 1e5) / 100,
        ratio: Math.round((reference / best) * 100) / 100,
      });
    }
    const pairs = corpus.length * MODES.length;
    const differing = [...disagreements.values()].reduce((sum, count) => sum + count, 0);
    notes.push(`${length} calls: the same answer for ${pairs - differing} of ${pairs} comparisons`);
    for (const [key, count] of disagreements) notes.push(`  ${key}, ${count} times`);
  }
  notes.push('', 'Where the answers differ, and why:', ...(await differencesFrom(agentevals)));
  return { rows, notes };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

async function loadAgentEvals(): Promise<AgentEvals> {
  const entry = path.join(PACKAGE, 'node_modules/agentevals/dist/index.js');
  if (!existsSync(entry)) {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: PACKAGE, stdio: 'ignore' });
  }
  // The cast holds for the version that the package names.
  return (await import(pathToFileURL(entry).href)) as AgentEvals;
}

const OPTIONS = {
  isWrite: (tool: string) => effectByName(tool) === 'writes',
  scope: () => ({}),
  unsafe: new Map<ToolCall, string>(),
};

function follows(trace: GoldenTrace, turn: Turn): boolean {
  const compared = compareRun(trace, runOf({ turns: [turn], once: (_, compute) => compute() }), OPTIONS);
  return firstWrong(compared, OPTIONS.scope) === undefined;
}

/** For each call, the model call that asked for it and the tool's own step. */
function toTurn(run: readonly Call[]): Turn {
  const steps = run.flatMap(() => [aStep(), aStep({ kind: 'tool' })]);
  return aTurn({ steps, toolCalls: run.map(toToolCall) });
}

function toToolCall({ tool, args }: Call, index: number): ToolCall {
  return {
    id: undefined,
    name: tool,
    args: new Arguments(args),
    result: { state: 'whole', text: 'ok', json: 'ok' },
    error: undefined,
    spanId: undefined,
    requestedBy: undefined,
    answered: true,
    startedAtMs: index * 10,
    endedAtMs: index * 10 + 5,
  };
}

/** Parsed when first read, like the arguments of spans. */
class Arguments {
  readonly state = 'whole';
  readonly text: string;
  #json: Json | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Resets it to the state before the first read. */
  forget(): void {
    this.#json = undefined;
  }

  get json(): Json {
    // The cast holds for the result of JSON.parse.
    this.#json ??= JSON.parse(this.text) as Json;
    return this.#json;
  }
}

function toMessage({ tool, args }: Call): object {
  return { role: 'assistant', content: '', tool_calls: [{ function: { name: tool, arguments: args } }] };
}

function traceOf(reference: readonly Call[], mode: MatchMode, steps?: string): GoldenTrace {
  const listed = steps ?? `[${reference.map(({ tool, args }) => `{ tool: ${tool}, args: ${args} }`).join(', ')}]`;
  const { traces, mistakes } = readGolden(`{ id: x, input: '', mode: ${mode}, steps: ${listed} }`, 'bench');
  const [trace] = traces;
  if (trace === undefined) throw new Error(JSON.stringify(mistakes));
  return trace;
}

interface Pair {
  readonly kind: string;
  readonly reference: readonly Call[];
  readonly run: readonly Call[];
}

function corpusOf(length: number, runsOfEach: number): readonly Pair[] {
  const random = randomFrom(length);
  const below = (limit: number) => Math.floor(random() * limit);
  const pairs: Pair[] = [];
  for (let index = 0; index < runsOfEach; index += 1) {
    const tools = Math.max(2, Math.ceil(length / 5));
    const reference = Array.from({ length }, (): Call => {
      const args = { account_id: `ACC-${below(5)}`, limit: below(4), filter: { status: 'open', page: below(3) } };
      return { tool: `tool_${below(tools)}`, args: JSON.stringify(args) };
    });
    const at = below(length);
    const other = Math.min(at + 1, length - 1);
    const swapped = reference.with(at, reference[other] as Call).with(other, reference[at] as Call);
    const wrong: Call = { ...(reference[at] as Call), args: '{"account_id":"ACC-9","limit":1,"filter":{}}' };
    pairs.push(
      { kind: 'as it should be', reference, run: reference },
      { kind: 'one call more', reference, run: reference.toSpliced(at, 0, { tool: 'tool_x', args: '{}' }) },
      { kind: 'one call less', reference, run: reference.toSpliced(at, 1) },
      { kind: 'a wrong argument', reference, run: reference.with(at, wrong) },
      { kind: 'two the other way round', reference, run: swapped },
      { kind: 'in no order', reference, run: shuffled(reference, random) },
    );
  }
  return pairs;
}

interface Difference {
  readonly what: string;
  readonly mode: MatchMode;
  readonly steps: string;
  readonly reference: readonly Call[];
  readonly run: readonly Call[];
  readonly theirMode: string;
  readonly overrides?: Readonly<Record<string, ArgumentRule>>;
  readonly theirArguments?: string;
  readonly why: string;
}

const call = (tool: string, args: Json = {}): Call => ({ tool, args: JSON.stringify(args) });

/** Hand-made cases that the corpus does not have. */
const DIFFERENCES: readonly Difference[] = [
  {
    what: 'a(x: *), a(x: 1) against a(x: 1), a(x: 2)',
    mode: 'any_order',
    steps: '[{ tool: a, args: { x: "*" } }, { tool: a, args: { x: "1" } }]',
    reference: [call('a', { x: '*' }), call('a', { x: '1' })],
    run: [call('a', { x: '1' }), call('a', { x: '2' })],
    theirMode: 'superset',
    overrides: { a: (output, reference) => reference.x === '*' || output.x === reference.x },
    why: 'greedy: the first step takes the only call that fits the second; the best alignment gives it the other',
  },
  {
    what: 'the same, the reference listed the other way round',
    mode: 'any_order',
    steps: '[{ tool: a, args: { x: "1" } }, { tool: a, args: { x: "*" } }]',
    reference: [call('a', { x: '1' }), call('a', { x: '*' })],
    run: [call('a', { x: '1' }), call('a', { x: '2' })],
    theirMode: 'superset',
    overrides: { a: (output, reference) => reference.x === '*' || output.x === reference.x },
    why: 'the answer of a greedy match depends on the order of a reference in which order does not matter',
  },
  {
    what: 'a, then b and c in any order, against a, c, b',
    mode: 'exact',
    steps: '[{ tool: a }, { unordered: [{ tool: b }, { tool: c }] }]',
    reference: [call('a'), call('b'), call('c')],
    run: [call('a'), call('c'), call('b')],
    theirMode: 'strict',
    why: 'a partial order can be said: strict is all in order, unordered nothing',
  },
  {
    what: 'the same against c, a, b',
    mode: 'exact',
    steps: '[{ tool: a }, { unordered: [{ tool: b }, { tool: c }] }]',
    reference: [call('a'), call('b'), call('c')],
    run: [call('c'), call('a'), call('b')],
    theirMode: 'unordered',
    why: 'the other way to say it without a partial order lets pass what is out of order',
  },
  {
    what: 'a required, b optional, against a',
    mode: 'exact',
    steps: '[{ tool: a }, { tool: b, required: false }]',
    reference: [call('a'), call('b')],
    run: [call('a')],
    theirMode: 'strict',
    why: 'steps may be optional',
  },
  {
    what: 'a, b against a, x, b, in order',
    mode: 'in_order',
    steps: '[{ tool: a }, { tool: b }]',
    reference: [call('a'), call('b')],
    run: [call('a'), call('x'), call('b')],
    theirMode: 'strict',
    why: 'in order with calls between can be said; superset, which allows them, does not look at the order',
  },
  {
    what: 'a, b against b, a, with calls between allowed',
    mode: 'in_order',
    steps: '[{ tool: a }, { tool: b }]',
    reference: [call('a'), call('b')],
    run: [call('b'), call('a')],
    theirMode: 'superset',
    why: 'as above, from the other side',
  },
];

async function differencesFrom(agentevals: AgentEvals): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { what, mode, steps, reference, run, theirMode, overrides, why } of DIFFERENCES) {
    const evaluator = agentevals.createTrajectoryMatchEvaluator({
      trajectoryMatchMode: theirMode,
      ...(overrides === undefined ? {} : { toolArgsMatchOverrides: overrides }),
    });
    const theirs = await evaluator({ outputs: run.map(toMessage), referenceOutputs: reference.map(toMessage) });
    const ours = follows(traceOf(reference, mode, steps), toTurn(run));
    lines.push(`  ${what}: ours ${ours} (${mode}), agentevals ${theirs.score} (${theirMode}): ${why}`);
  }
  return lines;
}
