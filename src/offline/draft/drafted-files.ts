/** A drafted suite and its tests as files: each rule with a comment that says where it comes from. Same rules, same bytes. */
import { Document, type Node } from 'yaml';
import { visibleYaml } from '../../model/visible-yaml.ts';
import { shareOf } from '../../statistics/calibrate/estimate.ts';
import { succeeded } from './expressions.ts';
import type { ToolSchema } from './tool-schemas.ts';
import type { WrittenRule } from './written-rules.ts';

interface DraftedSuite {
  readonly name: string;
  /** Tools of the agent: the suite is for conversations in which one of them was called. */
  readonly tools: readonly ToolSchema[];
  readonly rules: readonly WrittenRule[];
  /** Rules that most of the traffic breaks. */
  readonly doubted: readonly WrittenRule[];
}

const MATCHED_TOOLS_MAX = 100;

export function suiteFile({ name, tools, rules, doubted }: DraftedSuite): string {
  const extracts = extractsOf(rules);
  const names = tools.map((tool) => `'${tool.name}'`).join(', ');
  const isMatched = tools.length > 1 && tools.length <= MATCHED_TOOLS_MAX;
  const document = new Document<Node>();
  const criterion = (rule: WrittenRule) => {
    const fields = document.createNode(fieldsOf(rule, extracts));
    fields.commentBefore = ` ${fromInWords(rule)}`;
    return fields;
  };
  document.contents = document.createNode({
    suite: name,
    version: '1',
    description: 'Drafted from tool schemas and recorded traffic. A proposal: read each rule.',
    scope: 'conversation',
    about: 'rules',
    normalize: true,
    min_decided: 0.01,
    ...(isMatched ? { match: { expression: `tool_calls.exists(c, c.name in [${names}])` } } : {}),
    ...(extracts.size === 0 ? {} : { extract: Object.fromEntries([...extracts].map(([text, own]) => [own, text])) }),
    criteria: rules.map(criterion),
  });
  document.commentBefore = HEADER;
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

function asComment(rule: WrittenRule): readonly string[] {
  const lines = new Document([fieldsOf(rule, new Map())]).toString({ lineWidth: 0 }).trimEnd().split('\n');
  return ['', ` ${fromInWords(rule)}`, ...lines.map((line) => `   ${line}`)];
}

function fieldsOf({ name, form }: WrittenRule, extracts: ReadonlyMap<string, string>): object {
  const { when, check, ...answered } = form.asks;
  const short = (expression: string) =>
    [...extracts].reduce((text, [part, own]) => text.replaceAll(part, own), expression);
  return {
    ...{ name, question: form.question, weight: 1, ...answered },
    ...(when === undefined ? {} : { when: short(when) }),
    ...(check === undefined ? {} : { check: short(check) }),
  };
}

/** Names for calls that went through, by their expression, where a suite needs them more than once. */
function extractsOf(rules: readonly WrittenRule[]): ReadonlyMap<string, string> {
  const all = rules.map(({ form: { asks } }) => `${asks.when}\n${asks.check}`).join('\n');
  const extracts = new Map<string, string>();
  for (const tools of rules.flatMap(({ form: { done } }) => (done === undefined ? [] : [done]))) {
    const expression = succeeded(tools);
    if (extracts.has(expression) || all.split(expression).length < 3) continue;
    const plain = tools.length === 1 ? `${tools[0]?.replaceAll(/\W+/g, '_').slice(0, 50)}_done` : 'changes_done';
    const isTaken = [...extracts.values()].includes(plain);
    extracts.set(expression, isTaken ? `${plain}_${extracts.size + 1}` : plain);
  }
  return extracts;
}

export function testFile(rules: readonly WrittenRule[]): string {
  const tests = rules.flatMap(({ name, keeps, breaks }) => [
    { name: `${name} is kept`, turns: keeps, expect: { [name]: 'pass' } },
    { name: `${name} is broken`, turns: breaks, expect: { [name]: 'fail' } },
  ]);
  const document = new Document({ tests }, { aliasDuplicateObjects: false });
  document.commentBefore = ' Made from the schemas: one conversation that keeps each rule, and one that breaks it.';
  return visibleYaml(document);
}

function fromInWords({ origin, measured }: WrittenRule): string {
  if (measured === undefined) return origin.text;
  const { applies, fails } = measured;
  const share = shareOf(applies - fails, applies);
  const [lower, upper] = [share?.lower, share?.upper].map((one) => Math.round((one ?? 0) * 100));
  const seen = `kept in ${applies - fails} of ${applies} conversations (${lower} to ${upper} %)`;
  const joint = origin.is === 'shown' ? ':' : ';';
  return `${origin.text}${joint} ${share === undefined ? 'arises in no recorded conversation' : seen}`;
}
