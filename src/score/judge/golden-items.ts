/**
 * The golden trace that is meant for a conversation, as a judge is shown it: what was asked and expected, and each step of it beside the
 * call that the alignment found for it.
 */
import type { ToolCall } from '../../model/turn.ts';
import type { Subject } from '../subject/subject.ts';
import type { ComparedStep } from '../trajectory/compare-run.ts';
import { callSpan } from '../trajectory/call-span.ts';
import type { GoldenLibrary } from '../trajectory/golden-library.ts';
import type { GoldenTrace } from '../trajectory/golden-trace.ts';
import { assessRun, type SuiteParts } from '../trajectory/assess-run.ts';
import { type Field, fieldOf, type Item } from './item.ts';

export type PartsWithGolden = SuiteParts & { readonly golden: GoldenLibrary };

export interface GoldenRun {
  readonly trace: GoldenTrace;
  readonly steps: readonly ComparedStep[];
}

/** A text says why there is nothing to compare with. */
export function goldenRunOf(subject: Subject, parts: PartsWithGolden): GoldenRun | string {
  const { trace, because } = parts.golden.choose(subject);
  if (trace === undefined) return because;
  const judged = assessRun(trace, subject, parts);
  return typeof judged === 'string' ? judged : { trace, steps: judged.comparison.steps };
}

export function goldenItems({ trace, steps }: GoldenRun): readonly Item[] {
  const { input, output } = trace;
  const fields: Field[] = [{ key: 'input', text: input }];
  if (output.contains.length > 0) fields.push({ key: 'answer_contains', text: output.contains.join('; ') });
  if (output.matches.length > 0) fields.push({ key: 'answer_matches', text: output.matches.join('; ') });
  return [{ item: 'golden', turn: undefined, fields, rank: 'kept', spanId: undefined }, ...steps.map(itemOfStep)];
}

/** A call that would have been right in its place is shown as made: whether its place matters is for the judge to see. */
export function callOf({ call, outOfOrder }: ComparedStep): ToolCall | undefined {
  return call ?? outOfOrder;
}

function itemOfStep(compared: ComparedStep): Item {
  const { step } = compared;
  const call = callOf(compared);
  const args = step.args?.expected.map(({ key, expected }) => `${key}: ${expected}`).join('; ');
  const made: readonly Field[] =
    call === undefined
      ? [{ key: 'made', text: undefined, note: 'not made' }]
      : [{ key: 'made', text: call.name }, fieldOf('made_arguments', call.args)];
  return {
    item: 'golden_step',
    turn: undefined,
    fields: [
      { key: 'step', text: String(step.number) },
      { key: 'name', text: step.tool },
      { key: 'arguments', text: args, ...(args === undefined && { note: 'any' }) },
      { key: 'required', text: step.required ? 'yes' : 'no' },
      ...made,
    ],
    rank: 'kept',
    spanId: call === undefined ? undefined : callSpan(call),
  };
}
