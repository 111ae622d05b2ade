/** A run beside its golden trace as two texts: what was expected and what was done, the same where it makes no difference, so that a diff shows the rest. */
import type { GoldenTrace } from '../score/trajectory/golden-trace.ts';
import type { DiffLine } from '../score/trajectory/describe-comparison.ts';

interface GoldenSides {
  readonly expected: string;
  readonly received: string;
}

export function goldenSides(
  trace: GoldenTrace,
  lines: readonly DiffLine[],
  {
    answer,
    mistake,
    over,
  }: { readonly answer: string; readonly mistake: string | undefined; readonly over: string | undefined },
): GoldenSides {
  const expected: string[] = [];
  const received: string[] = [];
  for (const line of lines) {
    const wanted = wantedBy(line, trace, lines);
    if (wanted !== undefined) expected.push(wanted);
    const done = doneBy(line);
    if (done !== undefined) received.push(done);
  }
  const { contains, matches } = trace.output;
  if (contains.length + matches.length > 0) {
    const right = 'the answer is as the trace has it';
    expected.push(
      mistake === undefined ? right : `an answer with ${[...contains, ...matches.map((one) => `/${one}/`)].join(', ')}`,
    );
    received.push(mistake === undefined ? right : `the answer: ${answer}`);
  }
  if (over !== undefined) {
    expected.push('within its budget');
    received.push(over);
  }
  return { expected: expected.join('\n'), received: received.join('\n') };
}

function wantedBy(line: DiffLine, trace: GoldenTrace, lines: readonly DiffLine[]): string | undefined {
  const step = trace.steps.find(({ number }) => number === line.step);
  if (step === undefined) {
    // Optional steps are on both sides; a step that came out of order is expected where it belongs.
    const isMisplaced = lines.some(
      ({ kind, call, isWrong }) => kind === 'out_of_order' && isWrong && call === line.call,
    );
    return line.isWrong || isMisplaced ? undefined : line.text;
  }
  if (!line.isWrong) return isDone(line) ? line.text : undefined;
  const args = step.args?.expected.map(({ key, expected }) => `${JSON.stringify(key)}: ${expected}`).join(', ');
  return args === undefined ? `${step.tool}(…)` : `${step.tool}({${args}})`;
}

function doneBy(line: DiffLine): string | undefined {
  return isDone(line) ? line.text : undefined;
}

/** The line of a step that was not done where it belongs says so in words, and is no call. */
function isDone({ kind }: DiffLine): boolean {
  return kind !== 'missing' && kind !== 'out_of_order';
}
