/** Reasons why fields that an exporter sends are not read as the script has them: for the page. */
import type { FieldName } from './compare.ts';

interface Explanation {
  readonly rows: RegExp;
  readonly fields: readonly FieldName[];
  readonly why: string;
}

const EXPLANATIONS: readonly Explanation[] = [
  {
    rows: /^(semantic-kernel|smolagents-openinference)$/,
    fields: ['cached tokens', 'reasoning tokens'],
    why: 'they are sent only inside a printed Python object (`PromptTokensDetails(cached_tokens=…`)',
  },
  {
    rows: /^litellm$/,
    fields: ['cached tokens', 'reasoning tokens'],
    why: 'they are sent only inside a printed Python dictionary, the value of `llm.openai.usage`',
  },
  {
    rows: /^agno-(genai|openllmetry)$/,
    fields: ['answer', 'failure'],
    why: 'Agno catches the failure of the model and gives its text as the answer; no span says that it failed',
  },
  {
    rows: /^langgraph-openinference$/,
    fields: ['second agent'],
    why: "the second agent is a node of the graph; only the node's span has its name, as every node's does",
  },
];

export function explanationOf(row: string, field: FieldName): string | undefined {
  return EXPLANATIONS.find(({ rows, fields }) => rows.test(row) && fields.includes(field))?.why;
}
