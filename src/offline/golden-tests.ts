/**
 * The golden traces of suites as tests. An example is made of each trace, and the suite is asked about it: it must follow
 * the trace, keep to the tool policy and the budget, and have the expected answer. So a trace that its own suite would
 * refuse is found before a conversation is compared with it.
 */
import { knowing } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Mistake } from '../model/mistake.ts';
import { loadSuites } from '../score/load-suites.ts';
import { subjectOf } from '../score/subject/subject.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { policyFindings } from '../score/trajectory/assess-run.ts';
import { inWords } from '../score/trajectory/describe-comparison.ts';
import { goldenExcerpt } from '../score/trajectory/golden-excerpt.ts';
import type { GoldenLibrary } from '../score/trajectory/golden-library.ts';
import type { GoldenTrace } from '../score/trajectory/golden-trace.ts';
import { runBesideTrace } from '../score/trajectory/run-beside-trace.ts';
import { understood } from './mutation/golden-conversations.ts';
import type { SuiteTestOptions, TestedSuite } from './suite-tests.ts';

export interface GoldenTests {
  readonly tests: readonly TestedSuite[];
  /** Traces that were not run, and the reason. */
  readonly notRun: readonly { readonly suite: string; readonly trace: GoldenTrace; readonly because: string }[];
}

export async function testGoldenTraces(suites: readonly CompiledSuite[]): Promise<GoldenTests> {
  const tests: TestedSuite[] = [];
  const notRun: GoldenTests['notRun'][number][] = [];
  for (const { golden, ...suite } of suites) {
    for (const trace of golden?.drafts ?? [])
      notRun.push({ suite: suite.name, trace, because: 'it is a draft: delete `status: draft` once it is approved' });
    for (const trace of golden?.traces ?? []) {
      const excerpt = goldenExcerpt(trace);
      if (typeof excerpt === 'string' || golden === undefined) {
        notRun.push({ suite: suite.name, trace, because: typeof excerpt === 'string' ? excerpt : '' });
        continue;
      }
      const conversation = knowing(await understood(excerpt), [{ golden: trace.id }]);
      const unmet = unmetBy(trace, conversation, { ...suite, golden });
      tests.push({ file: trace.file, line: trace.line, suite: suite.name, name: `golden trace ${trace.id}`, unmet });
    }
  }
  return { tests, notRun };
}

/** Suites with golden traces among the references; they need no file of tests beside them. */
export async function suitesWithGolden(
  references: readonly string[],
  { baseDir, builtinDir, tools }: SuiteTestOptions,
): Promise<{ readonly suites: ReadonlyMap<string, readonly CompiledSuite[]>; readonly mistakes: readonly Mistake[] }> {
  const found = new Map<string, readonly CompiledSuite[]>();
  const mistakes: Mistake[] = [];
  for (const reference of references) {
    const loaded = await loadSuites([reference], { baseDir, builtinDir, tools });
    mistakes.push(...loaded.mistakes);
    const suites = loaded.suites.filter(({ golden }) => golden !== undefined);
    if (suites.length > 0) found.set(reference, suites);
  }
  return { suites: found, mistakes };
}

type WithGolden = Omit<CompiledSuite, 'golden'> & { readonly golden: GoldenLibrary };

function unmetBy(trace: GoldenTrace, conversation: Conversation, suite: WithGolden): TestedSuite['unmet'] {
  const { golden, toolPolicy: policy } = suite;
  const subject = subjectOf(conversation, undefined, suite);
  const expecting = (what: string, expected: string, reason: string) => [
    { what, expected, actual: 'it does not', reason, line: trace.line, spanId: undefined, at: undefined },
  ];
  const [broken] = policy === undefined ? [] : policyFindings(policy, subject).violations;
  const compared = runBesideTrace(trace, subject, { golden, policy });
  if (typeof compared === 'string') return expecting('trace', 'an example of it can be compared with it', compared);
  const wrong = compared.lines.find(({ isWrong }) => isWrong);
  return [
    ...(broken === undefined ? [] : expecting('tool_policy', 'the trace keeps to it', broken.reason)),
    ...(wrong === undefined || broken !== undefined
      ? []
      : expecting('steps', 'an example follows its own trace', inWords(wrong))),
    ...(compared.overBudget === undefined
      ? []
      : expecting('budget', 'its steps keep to it', `It takes ${compared.overBudget}`)),
    ...(compared.output?.is === 'wrong'
      ? expecting('output', 'an example has the answer', compared.output.because)
      : []),
  ];
}
