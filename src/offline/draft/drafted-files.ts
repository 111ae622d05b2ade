/** A drafted suite and its tests as files: each rule with a comment that says where it comes from. Same rules, same bytes. */
import { Document, isMap, isSeq } from 'yaml';
import { visibleText } from '../../model/visible-text.ts';
import { visibleYaml } from '../../model/visible-yaml.ts';
import { type DraftedCriterion, succeeded } from './rule-criterion.ts';
import type { Example } from './rule-examples.ts';
import type { Rule } from './rule.ts';

export interface WrittenRule {
  readonly rule: Rule;
  readonly criterion: DraftedCriterion;
  readonly keeps: Example;
  readonly breaks: Example;
  /** Origin in words, and how often the rule was kept. */
  readonly from: string;
}

interface DraftedSuite {
  readonly name: string;
  /** Tools of the agent: the suite is for conversations in which one of them was called. */
  readonly tools: readonly string[];
  readonly rules: readonly WrittenRule[];
  /** Rules that most of the traffic breaks. */
  readonly doubted: readonly WrittenRule[];
}

const MATCHED_TOOLS_MAX = 100;
const QUOTED_MAX = 400;

export function suiteFile({ name, tools, rules, doubted }: DraftedSuite): string {
  const extracts = extractsOf(rules);
  const document = new Document({
    suite: name,
    version: '1',
    description: 'Drafted from tool schemas and recorded traffic. A proposal: read each rule.',
    scope: 'conversation',
    about: 'rules',
    normalize: true,
    min_decided: 0.01,
    ...(tools.length < 2 || tools.length > MATCHED_TOOLS_MAX ? {} : { match: { expression: callsOneOf(tools) } }),
    ...(extracts.size === 0 ? {} : { extract: Object.fromEntries([...extracts].map(([text, own]) => [own, text])) }),
    criteria: rules.map((rule) => fieldsOf(rule, extracts)),
  });
  document.commentBefore = HEADER;
  const criteria = document.get('criteria');
  if (isSeq(criteria))
    for (const [index, item] of criteria.items.entries())
      if (isMap(item)) item.commentBefore = ` ${plainLine(rules[index]?.from ?? '')}`;
  if (doubted.length > 0) document.comment = [DOUBTED, ...doubted.flatMap(asComment)].join('\n');
  return visibleYaml(document);
}

const HEADER = ` A drafted suite: a proposal. Every rule is kept by one example beside it and broken by another.
 Read each rule, remove what is wrong, and give \`critical\` to what does harm. Then:
   assay validate <this file>
   assay suite test <this file>
   assay suite mutate <this file>            which faults would nobody notice?
   assay score <recording> --suite <this file>
 List it under \`shadow_suites\` first, and under \`suites\` once its failures are failures to you.`;

const DOUBTED = ' Rules that many of the recorded conversations break. Either the rule is wrong, or the agent is:';

function asComment(written: WrittenRule): readonly string[] {
  const lines = new Document([fieldsOf(written)]).toString({ lineWidth: 0 }).trimEnd().split('\n');
  return ['', ` ${plainLine(written.from)}`, ...lines.map((line) => `   ${line}`)];
}

function fieldsOf({ rule, criterion }: WrittenRule, extracts: ReadonlyMap<string, string> = new Map()): object {
  const { question, when, check, ...answered } = criterion;
  const short = (expression: string) =>
    [...extracts].reduce((text, [part, own]) => text.replaceAll(part, own), expression);
  return {
    ...{ name: rule.name, question, weight: 1, ...answered },
    ...(when === undefined ? {} : { when: short(when) }),
    ...(check === undefined ? {} : { check: short(check) }),
  };
}

/** Names for calls that went through, by their expression, where a suite needs them more than once. */
function extractsOf(rules: readonly WrittenRule[]): ReadonlyMap<string, string> {
  const all = rules.map(({ criterion: { when, check } }) => `${when}\n${check}`).join('\n');
  const extracts = new Map<string, string>();
  for (const { claim } of rules.map(({ rule }) => rule)) {
    const tools = 'tools' in claim ? claim.tools : 'tool' in claim ? [claim.tool] : [];
    const expression = succeeded(tools);
    if (tools.length === 0 || extracts.has(expression) || all.split(expression).length < 3) continue;
    const plain = tools.length === 1 ? `${tools[0]?.replaceAll(/\W+/g, '_').slice(0, 50)}_done` : 'changes_done';
    const isTaken = [...extracts.values()].includes(plain);
    extracts.set(expression, isTaken ? `${plain}_${extracts.size + 1}` : plain);
  }
  return extracts;
}

function callsOneOf(tools: readonly string[]): string {
  return `tool_calls.exists(c, c.name in [${tools.map((tool) => `'${tool}'`).join(', ')}])`;
}

/** Undefined where there is nothing to test. */
export function testFile(rules: readonly WrittenRule[]): string | undefined {
  if (rules.length === 0) return undefined;
  const tests = rules.flatMap(({ rule, keeps, breaks }) => [
    testOf(`${rule.name} is kept`, keeps, { [rule.name]: 'pass' }),
    testOf(`${rule.name} is broken`, breaks, { [rule.name]: 'fail' }),
  ]);
  const document = new Document({ tests }, { aliasDuplicateObjects: false });
  document.commentBefore = ' Made from the schemas: one conversation that keeps each rule, and one that breaks it.';
  return visibleYaml(document);

  function testOf(name: string, { turns }: Example, expect: Readonly<Record<string, string>>): object {
    return { name, turns, expect };
  }
}

/** Text of others on one line of a comment. */
export function plainLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED_MAX).toWellFormed();
}
