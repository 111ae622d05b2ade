/**
 * The fields of arguments, results and state that an expression reads without asking whether they are there:
 * `call.args.amount` and `call.args['amount']`, but not `call.args.?amount`, nor one that it asks `has(…)` of. Where such
 * a field is absent, the expression has no value: it is the one to look at when a tool's argument gets another name.
 */
import { isNode, type Node, nodesIn, sourceOf } from './node.ts';
import type { Program } from './program.ts';

const ARGUMENTS = 'args';
const OWNERS: ReadonlySet<string> = new Set([ARGUMENTS, 'result']);
const COMPARED_WITH_NULL: ReadonlySet<string> = new Set(['==', '!=']);

export function fieldsReadBy(root: Node): Program['fieldsRead'] {
  const asked = new Set<string>();
  const read = new Set<string>();
  const names = new Set<string>();
  for (const node of nodesIn(root)) {
    if (isHas(node)) for (const inside of nodesIn(node.args)) asked.add(sourceOf(inside));
    else if (isComparedWithNull(node)) for (const inside of nodesIn(node.args)) asked.add(sourceOf(inside));
    else if (isFieldOf(node, PLAIN, isReadOwner)) read.add(sourceOf(node));
    else if (node.op === 'id' && typeof node.args === 'string') names.add(node.args);
  }
  const own = [...read].filter((source) => !asked.has(source));
  return (extracts) => [
    ...own,
    ...[...names]
      // An expression that asks whether an extract is null says what holds then.
      .filter((name) => !asked.has(name))
      .flatMap((name) => extracts.get(name)?.fieldsRead(extracts) ?? []),
  ];
}

/** Whether what is absent at this node is an argument of a call that is there: one that is read, or all that `.?` looked for. */
export function isOfArguments(node: Node): boolean {
  if (isFieldOf(node, PLAIN, isArguments)) return true;
  return node.op === 'rcall' && [...nodesIn(node.args)].some((inside) => isFieldOf(inside, OPTIONAL, isArguments));
}

function isHas({ op, args }: Node): boolean {
  return op === 'call' && Array.isArray(args) && args[0] === 'has';
}

function isComparedWithNull({ op, args }: Node): boolean {
  return (
    COMPARED_WITH_NULL.has(op) &&
    Array.isArray(args) &&
    args.some((side: unknown) => isNode(side) && side.op === 'value' && side.args === null)
  );
}

const PLAIN = { field: '.', index: '[]' } as const;
const OPTIONAL = { field: '.?', index: '[?]' } as const;

/** A field, by a name that is written out, of what `isOwner` holds for. */
function isFieldOf({ op, args }: Node, by: typeof PLAIN | typeof OPTIONAL, isOwner: (owner: Node) => boolean): boolean {
  if (!Array.isArray(args) || (op !== by.field && op !== by.index)) return false;
  const [owner, field]: unknown[] = args;
  const isNamed = op === by.field || (isNode(field) && field.op === 'value' && typeof field.args === 'string');
  return isNamed && isNode(owner) && isOwner(owner);
}

function isArguments({ op, args }: Node): boolean {
  return op === '.' && Array.isArray(args) && args[1] === ARGUMENTS;
}

function isReadOwner({ op, args }: Node): boolean {
  if (op === 'id') return args === 'state';
  return op === '.' && Array.isArray(args) && OWNERS.has(String(args[1]));
}
