/** Evaluations of one conversation with everything that was said: verdicts with their question and weight, every revision. */
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { FullEvaluation, LabelJson, VerdictOfCriterion } from '../../../api/conversation-detail.ts';
import type { Evaluation } from '../../../model/evaluation.ts';
import { toEvaluationJson, toVerdictJson } from '../../../model/evaluation-json.ts';
import type { SpanId } from '../../../model/ids.ts';
import { LABELS } from '../../../model/labels.ts';
import { partsOf } from '../../../model/verdict-parts.ts';
import type { KeptLabel, ReadEvaluation } from '../../../store/read-evaluation.ts';
import { isoTime } from './iso-time.ts';
import { criterionIn, suiteOf } from './running-suites.ts';

export function fullEvaluations(
  read: readonly ReadEvaluation[],
  suites: readonly SuiteOutline[],
  subAgents: ReadonlyMap<SpanId, string> = new Map(),
): readonly FullEvaluation[] {
  const placeOf = ({ suite, turnId }: ReadEvaluation['evaluation']) => JSON.stringify([suite, turnId]);
  const waiting = new Set(
    read.flatMap(({ evaluation, madeAt }) => (madeAt === undefined ? [placeOf(evaluation)] : [])),
  );
  return read.map((one) => {
    const isLatest = one.isLast && (one.madeAt === undefined || !waiting.has(placeOf(one.evaluation)));
    return fullEvaluation(one, { suites, isLatest, subAgents });
  });
}

function fullEvaluation(
  { evaluation, madeAt }: ReadEvaluation,
  {
    suites,
    isLatest,
    subAgents,
  }: {
    readonly suites: readonly SuiteOutline[];
    readonly isLatest: boolean;
    readonly subAgents: ReadonlyMap<SpanId, string>;
  },
): FullEvaluation {
  const suite = suiteOf(suites, evaluation);
  const asked = (criterion: string) => {
    const known = criterionIn(suite, criterion);
    if (known === undefined || suite === undefined) return undefined;
    return { weight: known.weight / suite.totalWeight, critical: known.capsAt !== undefined, question: known.question };
  };
  return evaluationJson(evaluation, { madeAt, isLatest, asked, subAgents });
}

/** How a suite asks a criterion. */
type AskedCriterion = Pick<VerdictOfCriterion, 'weight' | 'critical' | 'question'>;

export function evaluationJson(
  evaluation: Evaluation,
  known: {
    readonly madeAt: number | undefined;
    readonly isLatest: boolean;
    /** Undefined where it is not known. */
    readonly asked: (criterion: string) => AskedCriterion | undefined;
    /** By span. */
    readonly subAgents?: ReadonlyMap<SpanId, string>;
  },
): FullEvaluation {
  const { madeAt, isLatest, asked, subAgents = new Map() } = known;
  const { conversation_id: _, findings = [], ...json } = toEvaluationJson(evaluation);
  return {
    ...json,
    ...(madeAt === undefined ? {} : { evaluated_at: isoTime(madeAt) }),
    shadow: evaluation.shadow === true,
    latest: isLatest,
    verdicts: [...evaluation.verdicts].map(([criterion, verdict]) => {
      const inEvidence = new Set(partsOf(verdict).evidence.flatMap((span) => subAgents.get(span) ?? []));
      return {
        criterion,
        ...toVerdictJson(verdict),
        ...asked(criterion),
        ...(inEvidence.size === 0 ? {} : { sub_agents: [...inEvidence] }),
      };
    }),
    findings,
  };
}

/** The last label of each person for the same question, with and without the verdict in sight: it replaces the earlier ones. */
export function labelsJson(labels: readonly KeptLabel[]): readonly LabelJson[] {
  const last = new Map(
    labels.map(
      (label) => [JSON.stringify([label.suite, label.criterion, label.turnId, label.by, label.seen]), label] as const,
    ),
  );
  return [...last.values()].flatMap(({ id, suite, criterion, label, by, putAt, turnId, note, seen }) => {
    const kind = LABELS.find((one) => one === label);
    // Only a newer version knows another.
    if (kind === undefined) return [];
    return [
      {
        label_id: String(id),
        suite,
        criterion,
        label: kind,
        by,
        at: isoTime(putAt),
        ...(turnId === undefined ? {} : { turn_id: turnId }),
        ...(note === undefined ? {} : { note }),
        ...(seen ? { seen } : {}),
      },
    ];
  });
}
