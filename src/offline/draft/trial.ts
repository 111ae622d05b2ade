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
  const rules: WrittenRule[] = [];
  for (const rule of written) {
    const because = await mistakeIn(rule, options);
    if (because === undefined) rules.push(rule);
    else leftOut.push({ name: rule.name, because });
  }
  return { rules: measured(rules, options), leftOut };
}

async function mistakeIn(rule: WrittenRule, options: ToTry): Promise<string | undefined> {
  const suite = compiled([rule], options);
  if (typeof suite === 'string') return `its expression is not valid: ${suite}`;
  const { tests, mistakes } = readSuiteTests(testFile([rule]), 'the tests');
  if (tests === undefined) return `its examples cannot be read: ${mistakes[0]?.problem ?? ''}`;
  for (const { conversation, ...test } of tests.tests) {
    if (conversation.is !== 'excerpt') continue;
    const [unmet] = runSuiteTest(suite, { ...test, conversation }, await understood(conversation));
    if (unmet !== undefined) return `its example "${test.name}" gives ${unmet.actual}: ${unmet.reason}`;
  }
  return undefined;
}

/** A text is the first mistake. */
function compiled(rules: readonly WrittenRule[], { name, tools, settings }: ToTry): CompiledSuite | string {
  const file = suiteFile({ name, tools, rules, doubted: [] });
  const { suite, mistakes } = readSuite(file, 'the draft', { tools: settings });
  return suite ?? mistakes[0]?.problem ?? '';
}

function measured(rules: readonly WrittenRule[], options: ToTry): readonly WrittenRule[] {
  const { conversations, onProgress } = options;
  if (rules.length === 0) return rules;
  const suite = compiled(rules, options);
  if (typeof suite === 'string') throw new Error(`draft: the suite has a mistake: ${suite}`);
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
