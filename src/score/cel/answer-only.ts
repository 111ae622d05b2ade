/**
 * Whether an expression looks at the agent's answer alone, so that a criterion made of it has no evidence of what was done. `turn.final_answer` is the answer too;
 * a function that looks into tool calls or steps is more.
 */
import { isNode, type Node, nodesIn } from './node.ts';
import type { Program } from './program.ts';
import { VARIABLES } from './scope.ts';

/** Variables that hold only the answer or its cost. None of them shows whether the task was done. */
const OF_THE_ANSWER: ReadonlySet<string> = new Set(['final_answer', 'ending', 'usage']);
const LOOKUPS: ReadonlySet<string> = new Set(['tools', 'steps_of', 'writes']);

const VARIABLE_NAMES: ReadonlySet<string> = new Set(Object.keys(VARIABLES));

export function answerOnly(root: Node): Program['looksAtAnswerOnly'] {
  const names = [...namesIn(root)];
  return (extracts) =>
    names.every((name) => {
      const extract = extracts.get(name);
      // Any other name is bound by a macro to a part of another named variable.
      if (extract === undefined) return OF_THE_ANSWER.has(name) || !(LOOKUPS.has(name) || VARIABLE_NAMES.has(name));
      return extract.looksAtAnswerOnly(extracts);
    });
}

function namesIn(root: Node): ReadonlySet<string> {
  const names = new Set<string>();
  const answers = new Set<unknown>();
  for (const node of nodesIn(root)) {
    const { op, args } = node;
    if (op === '.' && Array.isArray(args) && args[1] === 'final_answer' && isVariable(args[0], 'turn')) {
      answers.add(args[0]);
    } else if (op === 'id' && typeof args === 'string' && !answers.has(node)) names.add(args);
    else if (op === 'call' && Array.isArray(args) && LOOKUPS.has(String(args[0]))) names.add(String(args[0]));
  }
  return names;
}

function isVariable(node: unknown, name: string): boolean {
  return isNode(node) && node.op === 'id' && node.args === name;
}
