/**
 * A golden trace as a conversation that follows it: its input, its steps with arguments that match, results of the kind that is expected, and an answer with
 * all that it must contain. An example, and no more: what the tools really say is not in a trace.
 */
import { BARE_EXCERPT, type Excerpt, type ExcerptCall } from '../../model/excerpt.ts';
import type { Json } from '../../model/json.ts';
import { occurs } from '../cel/linear-regex.ts';
import { exampleText } from './example-value.ts';
import type { ExpectedStep, GoldenTrace, Observation } from './golden-trace.ts';

/** A text says why there is none. */
export function goldenExcerpt(trace: GoldenTrace): Excerpt | string {
  const calls: (readonly ExcerptCall[])[] = [];
  for (const step of trace.steps) {
    const args = argumentsOf(step);
    if (args === undefined) return `no example of the arguments of step ${step.number} can be made up`;
    const tool = exampleText(step.tool);
    const failed = step.observation === 'error';
    calls.push([
      { tool, args, result: failed ? undefined : resultOf(step.observation), error: failed ? 'not found' : undefined },
    ]);
  }
  const answer = `Here is what I found: ${trace.output.contains.join(', ') || 'all is done as you asked'}.`;
  const unmatched = trace.output.matches.find((pattern) => !occurs(pattern, answer));
  if (unmatched !== undefined) return 'no answer can be made up that matches its `output`';
  return {
    ...BARE_EXCERPT,
    turns: [{ user: exampleText(trace.input), calls, answer, finish: 'stop', error: undefined, state: undefined }],
  };
}

function argumentsOf({ args }: ExpectedStep): Json | undefined {
  const examples: [string, Json][] = [];
  for (const { key, example } of args?.expected ?? []) {
    if (example === undefined) return undefined;
    examples.push([key, example]);
  }
  return Object.fromEntries(examples);
}

function resultOf(observation: Exclude<Observation, 'error'> | undefined): Json {
  switch (observation) {
    case 'list':
      return [{ id: 'item-1' }, { id: 'item-2' }];
    case 'text':
      return 'as it should be';
    default:
      return { status: 'ok' };
  }
}
