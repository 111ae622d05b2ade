/** Reasons why fields that an exporter sends are not read as the script has them: for the page. */
import type { FieldName } from './compare.ts';

interface Explanation {
  readonly rows: RegExp;
  readonly fields: readonly FieldName[];
  readonly why: string;
}

const USAGE: readonly FieldName[] = ['input tokens', 'output tokens', 'cached tokens', 'reasoning tokens'];

const EXPLANATIONS: readonly Explanation[] = [
  {
    rows: /^semantic-kernel$/,
    fields: ['cached tokens', 'reasoning tokens'],
    why: 'they are sent only in a line of the log, `OpenAI usage: CompletionUsage(…`, which no span counts',
  },
  {
    rows: /^agno-(genai|openllmetry)$/,
    fields: ['answer', 'failure'],
    why: 'Agno catches the failure of the model and gives its text as the answer; no span says that it failed',
  },
  {
    rows: /^agno-openinference$/,
    fields: ['reasoning tokens'],
    why: 'no call has them; they are in the copies of earlier answers that a later call of the model was shown',
  },
  {
    rows: /^langchain-(js-)?openllmetry$/,
    fields: ['cached tokens', 'reasoning tokens'],
    why: 'no call has them; they are in the copies of its message that the chains around it took and gave back',
  },
  {
    rows: /^langchain-js-openllmetry$/,
    fields: ['agent'],
    why: 'its name is only the name that the application gave to the span of a workflow, as others call a function',
  },
  {
    rows: /^langgraph-openinference$/,
    fields: ['second agent'],
    why: "the second agent is a node of the graph; only the node's span has its name, as every node's does",
  },
  {
    rows: /^openai-js-openlit$/,
    fields: ['second agent'],
    why: 'its name is only the name of a span that the application made, as its tools have one',
  },
  {
    rows: /^smolagents-genai$/,
    fields: ['tools'],
    why: 'no call of a tool is sent; the names are those of the tools that the agent may call',
  },
  {
    rows: /^haystack-openinference$/,
    fields: ['tools', 'arguments', 'results', ...USAGE],
    why: 'the second agent runs below the first without a span between them, and both print only their own messages',
  },
  {
    rows: /^litellm-proxy-content$/,
    fields: ['turns', 'failure', 'model calls', ...USAGE],
    why: 'each call is a trace of its own without what was said, so that nothing shows which calls are one turn',
  },
  {
    rows: /^google-adk-java$/,
    fields: ['answer'],
    why: 'an agent that took over runs below the one before it, as one that is only asked something does',
  },
  {
    rows: /^llamaindex-js-openllmetry$/,
    fields: ['turns', 'tools', 'results'],
    why: 'a function that throws leaves its span open, and no model call says which tools it asked for',
  },
  {
    rows: /^tanstack-ai$/,
    fields: ['turns', 'tools', 'arguments', 'results', 'model calls', ...USAGE],
    why: 'the second agent, which a tool runs, is a trace of its own, and no id leads from one to the other',
  },
];

export function explanationOf(row: string, field: FieldName): string | undefined {
  return EXPLANATIONS.find(({ rows, fields }) => rows.test(row) && fields.includes(field))?.why;
}
