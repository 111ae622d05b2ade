/**
 * Tries rules before anybody reads them. Each is compiled, asked about an example that keeps it and one that breaks it,
 * and then about every recorded conversation. It goes through the files as they will be written, so what was tried is
 * what is handed out.
 */
import type { Conversation } from '../../model/conversation.ts';
import { decisionOf } from '../../model/decision.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import { evaluate } from '../../score/suite/evaluate.ts';
import { readSuite } from '../../score/suite/read-suite.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { readSuiteTests } from '../../score/suite-test/read-suite-tests.ts';
import { runSuiteTest } from '../../score/suite-test/run-suite-test.ts';
import { understood } from '../mutation/golden-conversations.ts';
import { suiteFile, testFile } from './drafted-files.ts';
import type { ToolSchema } from './tool-schemas.ts';
import type { LeftOut, WrittenRule } from './written-rules.ts';

export interface ToTry {
  /** Name of the suite. */
  readonly name: string;
  readonly tools: readonly ToolSchema[];
  /** Tools as the configuration describes them. */
  readonly settings: ToolNames | undefined;
  readonly conversations: readonly Conversation[];
  readonly onProgress?: (done: number) => void;
}

const SHOWN_MAX = 3;

/** Rules that compile and of which both examples are answered as they should, with how often the recording keeps them. */
export async function tried(
  written: readonly WrittenRule[],
  options: ToTry,
): Promise<{ readonly rules: readonly WrittenRule[]; readonly leftOut: readonly LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  let rules = written;
  // Each round leaves a rule out, or is the last.
  while (rules.length > 0) {
    const { suite, wrong } = await examined(rules, options);
    if (suite !== undefined && wrong.size === 0) return { rules: measured(rules, suite, options), leftOut };
    leftOut.push(...[...wrong].map(([{ name }, because]) => ({ name, because })));
    rules = rules.filter((rule) => !wrong.has(rule));
  }
  return { rules, leftOut };
}

async function examined(
  rules: readonly WrittenRule[],
  { name, tools, settings }: ToTry,
): Promise<{ readonly suite: CompiledSuite | undefined; readonly wrong: ReadonlyMap<WrittenRule, string> }> {
  const wrong = new Map<WrittenRule, string>();
  const { suite, mistakes } = readSuite(suiteFile({ name, tools, rules, doubted: [] }), 'the draft', {
    tools: settings,
  });
  for (const { path, problem } of mistakes) {
    const rule = rules[Number(/^criteria\[(\d+)\]/.exec(path)?.[1] ?? -1)];
    if (rule === undefined) throw new Error(`draft: the suite has a mistake at ${path}: ${problem}`);
    wrong.set(rule, `its expression is not valid: ${problem}`);
  }
  if (suite === undefined) return { suite, wrong };
  const { tests, mistakes: testMistakes } = readSuiteTests(testFile(rules), 'the tests');
  if (tests === undefined) throw new Error(`draft: the tests have mistakes: ${testMistakes[0]?.problem ?? ''}`);
  for (const [index, test] of tests.tests.entries()) {
    const rule = rules[Math.floor(index / 2)];
    if (rule === undefined || wrong.has(rule) || test.conversation.is !== 'excerpt') continue;
    const [unmet] = runSuiteTest(suite, test, await understood(test.conversation));
    const which = index % 2 === 0 ? 'keeps' : 'breaks';
    if (unmet !== undefined) wrong.set(rule, `its example that ${which} it gives ${unmet.actual}: ${unmet.reason}`);
  }
  return { suite, wrong };
}

function measured(
  rules: readonly WrittenRule[],
  suite: CompiledSuite,
  { conversations, onProgress }: ToTry,
): readonly WrittenRule[] {
  if (conversations.length === 0) return rules;
  const counts = new Map(rules.map(({ name }) => [name, { applies: 0, fails: 0, failing: [] as string[] }]));
  for (const [index, conversation] of conversations.entries()) {
    onProgress?.(index);
    for (const [name, { verdict }] of evaluate(suite, { conversation, turnId: undefined, revision: 1 }).verdicts) {
      const decision = decisionOf(verdict);
      const count = counts.get(name);
      if (decision === undefined || count === undefined) continue;
      count.applies += 1;
      if (decision !== 'fail') continue;
      count.fails += 1;
      if (count.failing.length < SHOWN_MAX) count.failing.push(conversation.id);
    }
  }
  return rules.map((rule) => ({ ...rule, measured: counts.get(rule.name) }));
}
