/** The assertions, apart from Vitest: whether each holds, what is said where it does not, and the two sides of the diff. */
import { partsOf } from '../model/verdict-parts.ts';
import { decisionOf, isBroken, isDecided } from '../model/decision.ts';
import { didYouMean } from '../model/did-you-mean.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation, Outcome, Verdict } from '../model/evaluation.ts';
import { goldenFilesIn } from '../score/trajectory/golden-files.ts';
import { toExcerpt } from '../score/subject/sentences.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { subjectOf } from '../score/subject/subject.ts';
import { diffLines, inWords } from '../score/trajectory/describe-comparison.ts';
import { GoldenLibrary } from '../score/trajectory/golden-library.ts';
import type { GoldenTrace } from '../score/trajectory/golden-trace.ts';
import { argumentScopeOf, assessRun, outputMistake, overBudget } from '../score/trajectory/assess-run.ts';
import { formatMillionths, ONE } from '../score/subject/weigh.ts';
import { stepAt } from '../offline/suite-tests.ts';
import { goldenSides } from './golden-sides.ts';
import type { SubjectOfTest } from './subject-of-test.ts';
import { outcomeText } from '../model/outcome-text.ts';

/** As Vitest wants it. */
export interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: string;
  readonly expected?: string;
}

export interface PassOptions {
  /** Criteria that may fail. */
  readonly except?: readonly string[];
  /** Instead of every criterion: a score of at least this, from 0 to 1. */
  readonly atLeast?: number;
  /** Instead of every criterion: this outcome. */
  readonly outcome?: Outcome;
}

export interface GoldenOptions {
  /** The suite whose traces are meant, by name or file. Without it, and without `from`, those of the configured suites. */
  readonly suite?: string;
  /** Files of golden traces, or folders of them. */
  readonly from?: string | readonly string[];
}

export async function passesSuite(
  subject: SubjectOfTest,
  reference: string,
  { except = [], atLeast, outcome }: PassOptions,
): Promise<Matched> {
  const { suites, evaluations, conversations } = await scored(subject, reference);
  known(except, suites);
  const everyCriterion = atLeast === undefined && outcome === undefined;
  const problems: string[] = unscored(suites, evaluations, conversations);
  const expected: string[] = [];
  const actual: string[] = [];
  for (const evaluation of evaluations) {
    const conversation = conversations.find(({ id }) => id === evaluation.conversationId);
    const wrong = everyCriterion ? failedIn(evaluation).filter(([name]) => !except.includes(name)) : [];
    const sides = sidesOf(evaluation, new Set(wrong.map(([name]) => name)));
    if (atLeast !== undefined && (evaluation.score ?? -1) < atLeast * ONE) {
      sides.expected.unshift(`score: at least ${atLeast}`);
      sides.actual.unshift(`score: ${scoreOf(evaluation)}`);
    }
    if (outcome !== undefined && evaluation.outcome !== outcome) {
      sides.expected.unshift(`outcome: ${outcome}`);
      sides.actual.unshift(`outcome: ${evaluation.outcome}`);
    }
    const isRight = sides.expected.join() === sides.actual.join();
    if (isRight) continue;
    expected.push(...sides.expected);
    actual.push(...sides.actual);
    problems.push(
      headOf(evaluation),
      ...(everyCriterion ? wrong : failedIn(evaluation)).map((one) => told(one, conversation)),
    );
  }
  const decided = evaluations.some(({ verdicts }) => verdicts.values().some(isDecided));
  if (evaluations.length > 0 && !decided)
    problems.push('  no criterion could be decided', ...whyUndecided(evaluations));
  const pass = problems.length === 0;
  const what = pass ? evaluations.map(headOf).join('\n') : problems.join('\n');
  return {
    pass,
    message: () => `expected the conversation ${pass ? 'not ' : ''}to pass ${reference}\n\n${what}`,
    ...(expected.length > 0 && { actual: actual.join('\n'), expected: expected.join('\n') }),
  };
}

/** Each of the criteria fails; where none is named, any. */
export async function failsSuite(
  subject: SubjectOfTest,
  reference: string,
  criteria: readonly string[],
): Promise<Matched> {
  const { suites, evaluations, conversations } = await scored(subject, reference);
  known(criteria, suites);
  const problems = unscored(suites, evaluations, conversations);
  const failed = evaluations.flatMap((evaluation) =>
    [...evaluation.verdicts].filter(([, { verdict }]) => decisionOf(verdict) === 'fail'),
  );
  const names = new Set(failed.map(([name]) => name));
  const missing = criteria.filter((name) => !names.has(name));
  const pass = problems.length === 0 && (criteria.length === 0 ? failed.length > 0 : missing.length === 0);
  const verdicts = evaluations.flatMap(({ verdicts }) => [...verdicts]);
  const shown = verdicts.filter(([name]) => (criteria.length === 0 ? true : missing.includes(name)));
  const lines = pass
    ? failed.map((one) => told(one, conversations[0]))
    : [...problems, ...shown.map((one) => told(one, conversations[0]))];
  const what = criteria.length === 0 ? reference : `${criteria.join(', ')} of ${reference}`;
  return {
    pass,
    message: () => `expected the conversation ${pass ? 'not ' : ''}to fail ${what}\n\n${lines.join('\n')}`,
  };
}

export async function followsGolden(subject: SubjectOfTest, id: string, options: GoldenOptions): Promise<Matched> {
  const { trace, isWriteOf } = await traceNamed(subject, id, options);
  const conversation = await subject.oneConversation();
  const run = subjectOf(conversation, undefined);
  const judged = assessRun(trace, run, { golden: isWriteOf ?? new GoldenLibrary([trace]) });
  const title = `${toExcerpt(conversation.id)} to follow golden trace ${trace.id} (${trace.mode})`;
  if (typeof judged === 'string')
    return { pass: false, message: () => `expected ${title}\n\n  they cannot be compared: ${judged}` };
  const { comparison, first } = judged;
  const mistake = outputMistake(trace, run)?.because;
  const budget = overBudget(trace, run);
  const over = budget === 'unknown' ? undefined : budget;
  const pass = first === undefined && mistake === undefined && over === undefined;
  const problems = [
    ...(first === undefined ? [] : [`  ${inWords(first)}${placed(stepAt(first.spanId, conversation))}`]),
    ...(mistake === undefined ? [] : [`  the answer: ${mistake}`]),
    ...(over === undefined ? [] : [`  it took ${over}`]),
  ];
  const message = () => `expected ${pass ? 'the conversation not ' : ''}${title}\n\n${problems.join('\n')}`;
  if (pass) return { pass, message };
  const sides = goldenSides(trace, diffLines(comparison, argumentScopeOf(run)), {
    answer: toExcerpt(run.finalAnswer),
    mistake,
    over,
  });
  return { pass, message, expected: sides.expected, actual: sides.received };
}

async function traceNamed(
  subject: SubjectOfTest,
  id: string,
  { suite, from }: GoldenOptions,
): Promise<{ readonly trace: GoldenTrace; readonly isWriteOf: GoldenLibrary | undefined }> {
  const names: string[] = [];
  if (from !== undefined) {
    const loaded = goldenFilesIn(process.cwd())(typeof from === 'string' ? [from] : from);
    const [unread] = loaded.unread.values();
    const [mistake] = loaded.mistakes;
    if (unread !== undefined) throw new Error(unread);
    if (mistake !== undefined) throw new Error(`${mistake.file}:${mistake.line ?? 1}: ${mistake.problem}`);
    const trace = loaded.traces.find((one) => one.id === id);
    if (trace !== undefined) return { trace, isWriteOf: undefined };
    names.push(...loaded.traces.map((one) => one.id));
  } else {
    const suites = suite === undefined ? await subject.configuredSuites() : await subject.suites(suite);
    for (const { golden } of suites) {
      const trace = golden?.traces.find((one) => one.id === id);
      if (trace !== undefined) return { trace, isWriteOf: golden };
      names.push(...(golden?.traces.map((one) => one.id) ?? []));
    }
  }
  const nearest = didYouMean(id, names);
  const hint =
    nearest === undefined
      ? `there ${names.length === 0 ? 'are none' : `is ${names.join(', ')}`}`
      : `did you mean '${nearest}'?`;
  const where =
    from === undefined && suite === undefined ? ' in the configured suites: name a `suite`, or files by `from`' : '';
  throw new Error(`there is no golden trace '${id}'${where}; ${hint}`);
}

async function scored(subject: SubjectOfTest, reference: string) {
  const suites = await subject.suites(reference);
  const evaluations = await subject.evaluations(suites);
  return { suites, evaluations, conversations: await subject.conversations() };
}

/** Where a suite is not for any of it, it has found nothing wrong, and nothing right either. */
function unscored(
  suites: readonly CompiledSuite[],
  evaluations: readonly Evaluation[],
  conversations: readonly Conversation[],
): string[] {
  return suites.flatMap((suite) => {
    if (evaluations.some((evaluation) => evaluation.suite === suite.name)) return [];
    const [why] = conversations.map((conversation) => suite.whyNot(conversation));
    return [`  ${suite.name} is not for it${why === undefined ? '' : `: ${why}`}`];
  });
}

function known(criteria: readonly string[], suites: readonly CompiledSuite[]): void {
  const all = suites.flatMap((suite) => suite.criteria.map(({ name }) => name));
  const stranger = criteria.find((name) => !all.includes(name));
  if (stranger === undefined) return;
  const nearest = didYouMean(stranger, all);
  const hint = nearest === undefined ? `one of ${all.join(', ')}` : `did you mean '${nearest}'?`;
  throw new Error(`${suites.map(({ name }) => name).join(', ')} has no criterion '${stranger}': ${hint}`);
}

type Named = readonly [string, Verdict];

/** A check that breaks is no success either. */
function failedIn({ verdicts }: Evaluation): readonly Named[] {
  return [...verdicts].filter(([, { verdict }]) => decisionOf(verdict) === 'fail' || isBroken(verdict));
}

function sidesOf({ verdicts }: Evaluation, wrong: ReadonlySet<string>): { expected: string[]; actual: string[] } {
  const expected: string[] = [];
  const actual: string[] = [];
  for (const [name, { verdict }] of verdicts) {
    actual.push(`${name}: ${verdict}`);
    expected.push(`${name}: ${wrong.has(name) ? 'pass' : verdict}`);
  }
  return { expected, actual };
}

function headOf(evaluation: Evaluation): string {
  const { conversationId, suite, suiteVersion } = evaluation;
  return `  ${toExcerpt(conversationId)}: ${suite} ${suiteVersion} says ${outcomeText(evaluation)}, score ${scoreOf(evaluation)}`;
}

function scoreOf({ score }: Evaluation): string {
  return score === undefined ? 'none' : formatMillionths(score);
}

function told([name, verdict]: Named, conversation: Conversation | undefined): string {
  const { reason, evidence } = partsOf(verdict);
  const at = conversation === undefined ? undefined : stepAt(evidence[0], conversation);
  return `    ${name} ${verdict.verdict}: ${reason}${placed(at)}`;
}

function placed(at: string | undefined): string {
  return at === undefined ? '' : ` (${toExcerpt(at)})`;
}

function whyUndecided(evaluations: readonly Evaluation[]): readonly string[] {
  return evaluations.flatMap(({ verdicts }) => [...verdicts].map((one) => told(one, undefined)));
}
