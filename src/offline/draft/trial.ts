/**
 * Tries rules before anybody reads them. Each is compiled, asked about an example that keeps it and one that breaks it,
 * and then about every recorded conversation. It goes through the files as they will be written, so what was tried is
 * what is handed out.
 */
import { understandRecorded } from '../../engine/recorded/understand-recording.ts';
import { MemorySpool } from '../../engine/recorded/recording-log.ts';
import type { Conversation } from '../../model/conversation.ts';
import { decisionOf } from '../../model/decision.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import { evaluate } from '../../score/suite/evaluate.ts';
import { readSuite } from '../../score/suite/read-suite.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { excerptRequest } from '../../score/suite-test/excerpt-request.ts';
import { readSuiteTests } from '../../score/suite-test/read-suite-tests.ts';
import { runSuiteTest } from '../../score/suite-test/run-suite-test.ts';
import { recordedRequest } from '../recording.ts';
import { suiteFile, testFile, type WrittenRule } from './drafted-files.ts';
import type { Measured } from './rule.ts';

interface TrialOptions {
  /** Name of the suite. */
  readonly name: string;
  readonly tools: readonly string[];
  readonly settings: ToolNames | undefined;
}

interface Compiled {
  readonly suite: CompiledSuite | undefined;
  readonly rules: readonly WrittenRule[];
  /** Rules that were left out, with the reason. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut {
  readonly rule: WrittenRule;
  readonly because: string;
}

const SHOWN_MAX = 3;
/** Each round leaves at least one rule out. */
const ROUNDS_MAX = 20;

/** Rules that compile and of which both examples are answered as they should. */
export async function tried(written: readonly WrittenRule[], options: TrialOptions): Promise<Compiled> {
  const leftOut: LeftOut[] = [];
  let rules = written;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { suite, wrong } = await examined(rules, options);
    if (wrong.size === 0) return { suite, rules, leftOut };
    leftOut.push(...[...wrong].map(([rule, because]) => ({ rule, because })));
    rules = rules.filter((rule) => !wrong.has(rule));
  }
  return {
    suite: undefined,
    rules: [],
    leftOut: [...leftOut, ...rules.map((rule) => ({ rule, because: 'too many mistakes' }))],
  };
}

async function examined(
  rules: readonly WrittenRule[],
  { settings, ...options }: TrialOptions,
): Promise<{ readonly suite: CompiledSuite | undefined; readonly wrong: ReadonlyMap<WrittenRule, string> }> {
  const wrong = new Map<WrittenRule, string>();
  if (rules.length === 0) return { suite: undefined, wrong };
  const text = suiteFile({ ...options, rules, doubted: [] });
  const { suite, mistakes } = readSuite(text, 'the draft', { tools: settings });
  for (const { path, problem } of mistakes) {
    const rule = rules[Number(/^criteria\[(\d+)\]/.exec(path)?.[1] ?? -1)];
    if (rule === undefined) throw new Error(`draft: the suite has a mistake at ${path}: ${problem}`);
    wrong.set(rule, `its expression is not valid: ${problem}`);
  }
  if (suite === undefined) return { suite, wrong };
  const { tests, mistakes: testMistakes } = readSuiteTests(testFile(rules) ?? '', 'the tests');
  if (tests === undefined) throw new Error(`draft: the tests have mistakes: ${testMistakes[0]?.problem ?? ''}`);
  for (const [index, test] of tests.tests.entries()) {
    const rule = rules[Math.floor(index / 2)];
    if (rule === undefined || test.conversation.is !== 'excerpt') continue;
    const batches = recordedRequest(excerptRequest(test.conversation, undefined), test.name);
    const { conversations } = await understandRecorded(batches, { conversationKeys: [], spool: new MemorySpool() });
    const [conversation] = conversations;
    const [unmet] = conversation === undefined ? [] : runSuiteTest(suite, test, conversation);
    if (unmet !== undefined && !wrong.has(rule))
      wrong.set(
        rule,
        `its example that ${index % 2 === 0 ? 'keeps' : 'breaks'} it gives ${unmet.actual}: ${unmet.reason}`,
      );
  }
  return { suite, wrong };
}

/** By the name of a rule. */
export function measured(
  suite: CompiledSuite | undefined,
  conversations: readonly Conversation[],
  onProgress: (done: number) => void = () => {},
): ReadonlyMap<string, Measured> {
  const found = new Map<string, { applies: number; fails: number; failing: string[] }>();
  if (suite === undefined) return found;
  for (const [index, conversation] of conversations.entries()) {
    onProgress(index);
    const { verdicts } = evaluate(suite, { conversation, turnId: undefined, revision: 1 });
    for (const [name, { verdict }] of verdicts) {
      const decision = decisionOf(verdict);
      if (decision === undefined) continue;
      const counts = found.get(name) ?? { applies: 0, fails: 0, failing: [] };
      counts.applies += 1;
      if (decision === 'fail') {
        counts.fails += 1;
        if (counts.failing.length < SHOWN_MAX) counts.failing.push(conversation.id);
      }
      found.set(name, counts);
    }
  }
  return found;
}
