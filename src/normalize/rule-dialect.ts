/** Which dialect a rule is of, for those who ask how a span was understood. */
import { DIALECTS } from './dialects.ts';
import { GEN_AI_READ_DIFFERENTLY } from './dialects/gen-ai-read-differently.ts';

/** Rules about where and when a span ran, or which service sent it, belong to no dialect of agents. */
const NOT_OF_AGENTS: ReadonlySet<string> = new Set(['otel', 'associations', 'assay']);

/**
 * A convention before the frameworks that give one of its keys another meaning: a span with `gen_ai.tool.name` need not be theirs, and one
 * that is has other keys of theirs.
 */
const BY_CLAIM = [
  ...DIALECTS.filter((dialect) => !GEN_AI_READ_DIFFERENTLY.includes(dialect)),
  ...GEN_AI_READ_DIFFERENTLY,
];

const dialects = new Map<string, string>();
for (const dialect of BY_CLAIM) {
  if (NOT_OF_AGENTS.has(dialect.name)) continue;
  const rules = [
    ...(dialect.rows ?? []).map(({ key }) => key),
    ...rulesOf(dialect.messagesIn),
    ...rulesOf(dialect.messagesOut),
    ...rulesOf(dialect.systemInstructions),
    ...rulesOf(dialect.input),
    ...rulesOf(dialect.output),
    ...rulesOf(dialect.toolArgs),
    ...rulesOf(dialect.toolResult),
    ...rulesOf(dialect.error),
  ];
  for (const rule of rules) if (!dialects.has(rule)) dialects.set(rule, dialect.name);
}

function rulesOf(finders: readonly { readonly rule: string }[] | undefined): readonly string[] {
  return finders?.map(({ rule }) => rule) ?? [];
}

/** undefined for a rule that no dialect has by itself, such as the span's name. */
export function dialectOf(rule: string): string | undefined {
  return dialects.get(rule);
}
