/**
 * Whether an expression reads form alone, so that a criterion made of it has no evidence that the task was done. The
 * answer's words, errors, counts, times and tokens are form. Evidence is what the task is about: truth, state, feedback,
 * what the user asked, which tools were called, what they were given and what they returned.
 */
import { isNode, type Node, nodesIn } from './node.ts';
import type { Program } from './program.ts';

const EVIDENCE_VARIABLES: ReadonlySet<string> = new Set(['state', 'truth', 'feedback', 'user_input', 'attributes']);
const EVIDENCE_LOOKUPS: ReadonlySet<string> = new Set(['tools', 'writes', 'same_calls']);
const LOOKUPS: ReadonlySet<string> = new Set([...EVIDENCE_LOOKUPS, 'steps_of', 'told']);
/** Fields of turns, steps and tool calls. */
const EVIDENCE_FIELDS: ReadonlySet<string> = new Set([
  'user_input',
  'name',
  'span_name',
  'args',
  'args_text',
  'result',
  'result_text',
  'input',
  'output',
]);
const FIELD_OPERATORS: ReadonlySet<string> = new Set(['.', '.?']);

export function formOnly(root: Node): Program['readsFormOnly'] {
  const nodes = [...nodesIn(root)];
  const readsEvidence = nodes.some(isEvidence);
  const names = nodes.flatMap(({ op, args }) => (op === 'id' && typeof args === 'string' ? [args] : []));
  return (extracts) => !readsEvidence && names.every((name) => extracts.get(name)?.readsFormOnly(extracts) ?? true);
}

/** Whether it has no variable and asks for no call, step or text: its value is always the same. */
export function readsNothing(root: Node): boolean {
  return ![...nodesIn(root)].some(
    ({ op, args }) =>
      (op === 'id' && typeof args === 'string') ||
      (op === 'call' && Array.isArray(args) && LOOKUPS.has(String(args[0]))),
  );
}

function isEvidence({ op, args }: Node): boolean {
  if (op === 'id') return typeof args === 'string' && EVIDENCE_VARIABLES.has(args);
  if (!Array.isArray(args)) return false;
  if (op === 'call') return EVIDENCE_LOOKUPS.has(String(args[0]));
  const [owner, field]: unknown[] = args;
  return FIELD_OPERATORS.has(op) && EVIDENCE_FIELDS.has(fieldName(field)) && !isVariable(owner, 'agent');
}

/** The operator `.?` holds its field as a value. */
function fieldName(field: unknown): string {
  return String(isNode(field) ? field.args : field);
}

function isVariable(node: unknown, name: string): boolean {
  return isNode(node) && node.op === 'id' && node.args === name;
}
