/** Rules as they will be handed out: each with a name, a criterion, and two examples. */
import { type Example, examplesOf } from './rule-examples.ts';
import { formOf } from './rule-forms.ts';
import type { Form, Measured, Rule } from './rule.ts';
import type { ToolSchema } from './tool-schemas.ts';

export interface WrittenRule extends Rule {
  readonly name: string;
  readonly form: Form;
  readonly keeps: Example;
  readonly breaks: Example;
  /** Undefined without a recording. */
  readonly measured?: Measured | undefined;
}

export interface LeftOut {
  readonly name: string;
  readonly because: string;
}

const NAME_LENGTH_MAX = 60;

/** The first of rules that ask the same stays. */
export function writtenRules(
  given: readonly Rule[],
  tools: ReadonlyMap<string, ToolSchema>,
  most: number,
): { readonly rules: readonly WrittenRule[]; readonly more: number } {
  const byAsked = new Map<string, Rule & { readonly form: Form }>();
  const lookupsBefore = new Map<string, string[]>();
  for (const rule of given) {
    const form = formOf(rule.claim, tools);
    const asked = JSON.stringify(form.asks);
    if (!byAsked.has(asked)) byAsked.set(asked, { ...rule, form });
    if (rule.claim.is === 'before')
      for (const tool of rule.claim.later)
        lookupsBefore.set(tool, [...(lookupsBefore.get(tool) ?? []), rule.claim.first]);
  }
  const taken = new Set<string>();
  const rules = [...byAsked.values()].slice(0, most).map(({ form, ...rule }) => ({
    ...rule,
    form,
    name: freeName(form.name, taken),
    ...examplesOf(form, { tools, lookupsBefore }),
  }));
  return { rules, more: byAsked.size - rules.length };
}

/** Names of criteria are labels of metrics: letters, digits and `_`, each once. */
function freeName(given: string, taken: Set<string>): string {
  const plain = given.replaceAll(/\W+/g, '_').slice(0, NAME_LENGTH_MAX).replace(/_+$/, '');
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}
