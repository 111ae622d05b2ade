/** Holds what a suite says of a test's conversation against what the test expects of it. */
import { partsOf } from '../../model/verdict-parts.ts';
import type { Conversation } from '../../model/conversation.ts';
import { didYouMean } from '../../model/did-you-mean.ts';
import type { SpanId } from '../../model/ids.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import type { Mistake } from '../../model/mistake.ts';
import { evaluate } from '../suite/evaluate.ts';
import type { Judges } from '../suite/judges.ts';
import type { CompiledSuite } from '../suite/suite.ts';
import { formatMillionths, ONE } from '../subject/weigh.ts';
import type { GivenAnswer, SuiteTest } from './suite-test.ts';

export interface Unmet {
  /** A criterion, `score`, `outcome`, `because` or `applies`. */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
  /** Why it is as it is, in a sentence. */
  readonly reason: string;
  /** Position at which it was expected. */
  readonly line: number | undefined;
  /** The step that shows it. */
  readonly spanId: SpanId | undefined;
}

/** The conversation is the one turn for a suite of scope `turn`. */
export function runSuiteTest(suite: CompiledSuite, test: SuiteTest, conversation: Conversation): readonly Unmet[] {
  const { applies, verdicts, score, outcome, because } = test.expected;
  const whyNot = suite.whyNot(conversation);
  if (applies.value !== (whyNot === undefined)) {
    const [expected, actual] = applies.value ? ['it applies', 'it does not'] : ['it does not apply', 'it does'];
    const reason = whyNot ?? 'The suite is for this conversation.';
    return [{ what: 'applies', expected, actual, reason, line: applies.line, spanId: undefined }];
  }
  if (whyNot !== undefined) return [];
  const turnId = suite.scope === 'turn' ? conversation.turns.at(-1)?.id : undefined;
  const target = { conversation, turnId, revision: 1 };
  const evaluation = evaluate(askedOneByOne(suite), target, { judges: judgesWhoSay(test.judges) });
  const unmet: Unmet[] = [];
  for (const [criterion, { verdict, reason, line }] of verdicts) {
    const actual = evaluation.verdicts.get(criterion);
    if (actual === undefined) throw new Error(`score: a test expects something of ${criterion}, which is no criterion`);
    const isAsExpected = actual.verdict === verdict && (reason === undefined || actual.reason.includes(reason));
    if (isAsExpected) continue;
    const expected = reason === undefined ? verdict : `${verdict} because of "${reason}"`;
    const [spanId] = partsOf(actual).evidence;
    unmet.push({ what: criterion, expected, actual: actual.verdict, reason: actual.reason, line, spanId });
  }
  const whole = { reason: evaluation.explanation, spanId: undefined };
  if (score !== undefined && !isScore(score.value, evaluation.score)) {
    const actual = evaluation.score === undefined ? 'unscored' : formatMillionths(evaluation.score);
    unmet.push({ what: 'score', expected: String(score.value), actual, line: score.line, ...whole });
  }
  if (outcome !== undefined && evaluation.outcome !== outcome.value) {
    const { value, line } = outcome;
    unmet.push({ what: 'outcome', expected: value, actual: evaluation.outcome, line, ...whole });
  }
  if (because !== undefined && evaluation.because !== because.value) {
    const { value, line } = because;
    unmet.push({ what: 'because', expected: value, actual: evaluation.because ?? 'no failure', line, ...whole });
  }
  return unmet;
}

/** Mistakes of a test that names criteria which the suite does not have. */
export function strangersIn(test: SuiteTest, suite: CompiledSuite, file: string): readonly Mistake[] {
  const all = suite.criteria.map(({ name }) => name);
  const judged = suite.criteria.filter((criterion) => criterion.judged !== undefined).map(({ name }) => name);
  const mistake = (name: string, field: string, line: number | undefined, known: readonly string[]): Mistake => {
    const isElsewhere = all.includes(name);
    const nearest = didYouMean(name, known);
    const oneOf = known.length === 0 ? 'no such answer: no criterion is for judges' : `one of ${known.join(', ')}`;
    return {
      file,
      line,
      column: undefined,
      path: `${field}.${name}`,
      problem: isElsewhere ? `'${name}' is not for a judge` : `${suite.name} has no criterion '${name}'`,
      expected: nearest === undefined ? oneOf : `did you mean '${nearest}'?`,
    };
  };
  return [
    ...[...test.expected.verdicts]
      .filter(([name]) => !all.includes(name))
      .map(([name, { line }]) => mistake(name, 'expect', line, all)),
    ...[...test.judges]
      .filter(([name]) => !judged.includes(name))
      .map(([name, { line }]) => mistake(name, 'judge', line, judged)),
  ];
}

/** Asks each question in a call of its own, because a test gives each answer by itself. */
function askedOneByOne(suite: CompiledSuite): CompiledSuite {
  const criteria = suite.criteria.map((criterion) =>
    criterion.judged === undefined ? criterion : { ...criterion, judged: { ...criterion.judged, shared: false } },
  );
  return { ...suite, criteria };
}

/** High enough to show everything. */
const EVIDENCE_TOKENS = 1_000_000;

function judgesWhoSay(answers: ReadonlyMap<string, GivenAnswer>): Judges {
  return {
    settings: () => ({ fingerprint: 'given', evidenceTokens: EVIDENCE_TOKENS, share: 1 }),
    outcomeOf: ({ criteria }): JudgeOutcome => {
      const given = criteria.map(({ name }) => ({ criterion: name, answer: answers.get(name) }));
      const missing = given.find(({ answer }) => answer === undefined);
      if (missing !== undefined) {
        const reason = `The test gives no answer of a judge: \`judge: { ${missing.criterion}: yes }\`.`;
        return { is: 'left-out', because: 'not-configured', reason };
      }
      return {
        is: 'answered',
        model: 'given',
        answers: given.map(({ criterion, answer }) => ({
          criterion,
          pass: answer?.pass ?? false,
          reason: answer?.reason ?? '',
          quotes: [],
          votes: { yes: answer?.pass === true ? 1 : 0, of: 1 },
        })),
      };
    },
  };
}

/** Compares to as many decimals as were written, at least two: 0.67 is two thirds. */
function isScore(expected: number, actual: number | undefined): boolean {
  if (actual === undefined) return false;
  const decimals = Math.max(2, String(expected).split('.')[1]?.length ?? 0);
  return (actual / ONE).toFixed(decimals) === expected.toFixed(decimals);
}
