/**
 * A stored conversation beside the golden trace that each live suite has for it: the words and numbers of
 * `assay golden diff`, and with the tool policy and the effects of tools that the suite scores by.
 */
import type { Conversation } from '../../model/conversation.ts';
import type { ComparedStepJson, GoldenComparison, GoldenComparisons } from '../../api/golden-comparison.ts';
import type { Turn } from '../../model/turn.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { subjectOf } from '../../score/subject/subject.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import type { DiffLine } from '../../score/trajectory/describe-comparison.ts';
import type { GoldenLibrary } from '../../score/trajectory/golden-library.ts';
import type { GoldenTrace } from '../../score/trajectory/golden-trace.ts';
import { expectedCall, type RunBesideTrace, runBesideTrace } from '../../score/trajectory/run-beside-trace.ts';
import { ONE } from '../../score/subject/weigh.ts';
import { type SuiteSide, storedConversation } from './stored-conversation.ts';

/** The latest turns, for a suite that compares turn by turn. */
const TURNS_MAX = 50;

export async function compareWithGolden(id: string, side: SuiteSide): Promise<Answer> {
  const stored = await storedConversation(id, side);
  if ('status' in stored) return stored;
  const { whole, alone } = stored;
  const comparisons = side.suites.flatMap((suite) => {
    const { golden, scope } = suite;
    if (golden === undefined || golden.traces.length === 0) return [];
    const parts: readonly (readonly [Conversation, Turn | undefined])[] =
      scope === 'turn' ? whole.turns.slice(-TURNS_MAX).map((turn) => [alone(turn), turn]) : [[whole, undefined]];
    return parts
      .filter(([conversation]) => suite.matches(conversation))
      .map(([conversation, turn]) => comparisonOf(conversation, turn, { ...suite, golden }));
  });
  return jsonAnswer(200, { conversation_id: id, comparisons } satisfies GoldenComparisons);
}

type WithGolden = CompiledSuite & { readonly golden: GoldenLibrary };

function comparisonOf(conversation: Conversation, turn: Turn | undefined, suite: WithGolden): GoldenComparison {
  const { name, version, scope, golden, toolPolicy: policy } = suite;
  const subject = subjectOf(conversation, turn?.id, suite);
  const { trace, because } = golden.choose(subject);
  const compared = trace === undefined ? undefined : runBesideTrace(trace, subject, { golden, policy });
  return {
    suite: name,
    suite_version: version,
    scope,
    ...(turn === undefined ? {} : { turn_id: turn.id }),
    because: typeof compared === 'string' ? `They cannot be compared: ${compared}` : because,
    ...(trace === undefined ? {} : { golden: traceJson(trace) }),
    ...(trace === undefined || compared === undefined || typeof compared === 'string'
      ? {}
      : { result: resultJson(trace, compared) }),
  };
}

function traceJson({ id, description, mode, file }: GoldenTrace): GoldenComparison['golden'] {
  return { id, description: description.slice(0, 2_000).toWellFormed(), mode, file };
}

function resultJson(trace: GoldenTrace, compared: RunBesideTrace): GoldenComparison['result'] {
  const { lines, follows, scoreMillionths, output, overBudget, isOptimal } = compared;
  const says = trace.output.contains.length + trace.output.matches.length > 0;
  return {
    follows,
    trajectory_score: scoreMillionths / ONE,
    steps: lines.map((line) => stepJson(line, trace)),
    output: says ? (output?.is ?? 'as_expected') : 'not_said',
    output_mistake: output?.because ?? null,
    over_budget: overBudget ?? null,
    is_optimal: isOptimal,
  };
}

function stepJson({ kind, step, call, text, notes, isWrong, spanId }: DiffLine, trace: GoldenTrace): ComparedStepJson {
  const expected = step === undefined ? undefined : trace.steps[step - 1];
  return {
    kind,
    ...(step === undefined ? {} : { step }),
    ...(expected === undefined ? {} : { expected: expectedCall(expected) }),
    ...(call === undefined ? {} : { call }),
    text,
    notes,
    wrong: isWrong,
    ...(spanId === undefined ? {} : { span_id: spanId }),
  };
}
