/**
 * Whether an expression asks for steps of the kind `tool`, by itself or through extracts. Such steps are calls. Their
 * absence shows nothing where nobody knows whether the exporter sends them.
 */
import { type Node, nodesIn } from './node.ts';
import type { Program } from './program.ts';

const KIND = 'tool';

export function seeksTools(root: Node): Program['seeksTools'] {
  const nodes = [...nodesIn(root)];
  const namesKind = nodes.some(({ op, args }) => op === 'value' && args === KIND);
  const names = nodes.flatMap(({ op, args }) => (op === 'id' && typeof args === 'string' ? [args] : []));
  return (extracts) => namesKind || names.some((name) => extracts.get(name)?.seeksTools(extracts) === true);
}
