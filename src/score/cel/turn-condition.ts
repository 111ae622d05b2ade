/**
 * Derives what must hold for one turn by itself if an expression is to hold for the conversation. Turns are scored one
 * by one as they close; where none of them meets this, the conversation need not be reassembled to learn that a suite
 * is not for it.
 *
 *   condition = exists || ...             where each term has one
 *             | exists && ...             where one term has one
 *   exists    = steps.exists(s, …)        and tool_calls.exists(c, …): what is true of a step is true of it in its turn,
 *                                         where the condition reads nothing but the step
 *             | has(state.key)            and has(truth.key): later turns override earlier ones key by key, so that a key
 *                                         that is there came from a turn
 *
 * It is weaker than the expression: who finds that it holds has still to ask the whole.
 */
import { isNode, type Node, nodesIn, sourceOf } from './node.ts';

export function turnConditionOf(root: Node): string | undefined {
  const { op, args } = root;
  if (!Array.isArray(args)) return undefined;
  if (op === '||' || op === '&&') {
    const terms = args.map((term: unknown) => (isNode(term) ? turnConditionOf(term) : undefined));
    if (op === '&&') return terms.find((term) => term !== undefined);
    return terms.includes(undefined) ? undefined : terms.map((term) => `(${term})`).join(' || ');
  }
  return isExists(args, op) || isHas(args, op) ? sourceOf(root) : undefined;
}

function isExists([name, list, parameters]: readonly unknown[], op: string): boolean {
  if (op !== 'rcall' || name !== 'exists' || !isNode(list) || !Array.isArray(parameters)) return false;
  const [variable, condition]: unknown[] = parameters;
  if (list.op !== 'id' || (list.args !== 'steps' && list.args !== 'tool_calls') || !isNode(variable)) return false;
  for (const node of nodesIn(condition)) {
    // A function without a receiver may look at the whole conversation, as `tools(…)` does.
    if (node.op === 'call' || (node.op === 'id' && node.args !== variable.args)) return false;
  }
  return true;
}

function isHas([name, parameters]: readonly unknown[], op: string): boolean {
  if (op !== 'call' || name !== 'has' || !Array.isArray(parameters)) return false;
  const [field]: unknown[] = parameters;
  if (!isNode(field) || field.op !== '.' || !Array.isArray(field.args)) return false;
  const [owner]: unknown[] = field.args;
  return isNode(owner) && owner.op === 'id' && (owner.args === 'state' || owner.args === 'truth');
}
