/**
 * Two conversations for each rule, made of what the schemas allow. One keeps it, and as far as possible all other rules
 * of the draft: the user gives the values, what has to be looked up is looked up, and a yes comes before the calls. The
 * other one breaks it.
 */
import type { Json } from '../../model/json.ts';
import { leavesOf } from '../../mutate/leaves.ts';
import { sampleArguments, withValue } from './argument-places.ts';
import type { Form, FormCall } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

/** Turns, as a file of tests has them. */
export type Example = readonly {
  readonly user: string;
  readonly calls?: readonly { readonly tool: string; readonly args: Json; readonly result: Json }[];
  readonly answer: string;
}[];

interface Around {
  readonly tools: ReadonlyMap<string, ToolSchema>;
  /** Lookups that rules of the draft want before a tool. */
  readonly lookupsBefore: ReadonlyMap<string, readonly string[]>;
}

const DONE = 'It is done.';
const VALUES_MAX = 100;

export function examplesOf(
  form: Form,
  { tools, lookupsBefore }: Around,
): { readonly keeps: Example; readonly breaks: Example } {
  const made = ({ tool, put }: FormCall) => {
    const schema = tools.get(tool);
    const args = schema === undefined ? {} : sampleArguments(schema);
    return { tool, args: put === undefined ? args : withValue(args, put.place, put.value), result: { done: true } };
  };
  const looked = new Set(form.keeps.flatMap(({ tool }) => lookupsBefore.get(tool) ?? []));
  for (const { tool } of form.keeps) looked.delete(tool);
  const calls = [...[...looked].map((tool) => ({ tool })), ...form.keeps].map(made);
  return {
    keeps: calls.length === 0 ? [{ user: 'Please do it.', answer: DONE }] : agreed(calls),
    breaks: [{ user: 'Please do it.', calls: form.breaks.map(made), answer: DONE }],
  };
}

function agreed(calls: readonly { readonly tool: string; readonly args: Json; readonly result: Json }[]): Example {
  const values = calls.flatMap(({ args }) => leavesOf(args).map(({ value }) => value));
  const told = [...new Set(values.filter((value) => typeof value !== 'boolean'))].slice(0, VALUES_MAX);
  const user = told.length === 0 ? 'Please do it.' : `Please do it with ${told.join(', ')}.`;
  return [
    { user, answer: 'Shall I do it?' },
    { user: 'Yes, please.', calls, answer: DONE },
  ];
}
