/**
 * The arguments of tool calls that an expression reads without asking whether they are there: `call.args.amount` and
 * `call.args['amount']`, but not `call.args.?amount`, nor one that it asks `has(…)` of. Where such an argument is absent,
 * the expression has no value: it is the one to look at when a tool's argument gets another name.
 */
import { isNode, type Node, nodesIn, sourceOf } from './node.ts';

const ARGUMENTS = 'args';

export function argumentsReadBy(root: Node): readonly string[] {
  const asked = new Set<string>();
  const read = new Set<string>();
  for (const node of nodesIn(root)) {
    if (isHas(node)) for (const inside of nodesIn(node.args)) asked.add(sourceOf(inside));
    else if (isArgument(node)) read.add(sourceOf(node));
  }
  return [...read].filter((source) => !asked.has(source));
}

/** Whether what is absent at this node is an argument of a call that is there: one that is read, or all that `.?` looked for. */
export function isOfArguments(node: Node): boolean {
  if (isArgument(node)) return true;
  return node.op === 'rcall' && [...nodesIn(node.args)].some(({ op, args }) => isFieldOfArguments(op, args, OPTIONAL));
}

function isHas({ op, args }: Node): boolean {
  return op === 'call' && Array.isArray(args) && args[0] === 'has';
}

function isArgument({ op, args }: Node): boolean {
  return isFieldOfArguments(op, args, PLAIN);
}

const PLAIN = { field: '.', index: '[]' } as const;
const OPTIONAL = { field: '.?', index: '[?]' } as const;

/** A field of `args`, by a name that is written out. */
function isFieldOfArguments(op: string, args: unknown, by: typeof PLAIN | typeof OPTIONAL): boolean {
  if (!Array.isArray(args) || (op !== by.field && op !== by.index)) return false;
  const [owner, field]: unknown[] = args;
  const isNamed = op === by.field || (isNode(field) && field.op === 'value' && typeof field.args === 'string');
  return isNamed && isNode(owner) && owner.op === '.' && Array.isArray(owner.args) && owner.args[1] === ARGUMENTS;
}
