/** The tables of an export: the columns of each, and the rows that a conversation has in it. */
import { z } from 'zod';
import type { ConversationLine, EvaluationLine, ExportTable, VerdictLine } from '../../api/export.ts';
import { decisionOf } from '../../model/decision.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import { isGood, isInSuccessRate } from '../../model/severity.ts';
import { partsOf } from '../../model/verdict-parts.ts';
import { conversationItemOf } from '../api/v1/conversation-item.ts';
import { timeOf } from '../../store/evaluation-columns.ts';
import { isoTime } from '../api/v1/iso-time.ts';
import { shareOf } from '../api/v1/running-suites.ts';
import type { ExportedConversation } from './exported-conversations.ts';

const NANO = 1e9;

/** `time` is text of ISO 8601 in a line, and a time in UTC in Parquet. */
export type ColumnKind = 'text' | 'time' | 'boolean' | 'int32' | 'int64' | 'double' | 'bytes';

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** True if the column has a value in every row. */
  readonly always: boolean;
}

export type Cell = string | number | boolean | Uint8Array | null | undefined;
export type ExportRow = { readonly [column: string]: Cell };

type ColumnsOf<Line> = { readonly [Name in keyof Line]-?: readonly [ColumnKind, 'always' | 'or_null'] };

const CONVERSATION_COLUMNS: ColumnsOf<ConversationLine> = {
  conversation_id: ['text', 'always'],
  agent: ['text', 'always'],
  agent_version: ['text', 'always'],
  environment: ['text', 'always'],
  segment: ['text', 'or_null'],
  began_at: ['time', 'always'],
  clock_wrong: ['boolean', 'or_null'],
  ended_at: ['time', 'or_null'],
  duration_ms: ['int64', 'or_null'],
  updated_at: ['time', 'always'],
  asked: ['text', 'or_null'],
  answered: ['text', 'or_null'],
  turns: ['int32', 'always'],
  revision: ['int32', 'always'],
  tokens: ['int64', 'or_null'],
  cost_usd: ['double', 'or_null'],
  state: ['text', 'always'],
  unscored_because: ['text', 'or_null'],
  feedback: ['text', 'or_null'],
  came_out: ['text', 'or_null'],
  waiting_for: ['text', 'or_null'],
};

const COUNTED_COLUMNS = {
  conversation_id: ['text', 'always'],
  agent: ['text', 'always'],
  agent_version: ['text', 'always'],
  environment: ['text', 'always'],
  segment: ['text', 'or_null'],
  suite: ['text', 'always'],
  suite_version: ['text', 'always'],
  scope: ['text', 'always'],
  turn_id: ['text', 'or_null'],
  revision: ['int32', 'always'],
  evaluated_at: ['time', 'always'],
} as const;

const EVALUATION_COLUMNS: ColumnsOf<EvaluationLine> = {
  ...COUNTED_COLUMNS,
  began_at: ['time', 'or_null'],
  scored_at: ['time', 'or_null'],
  outcome: ['text', 'always'],
  because: ['text', 'or_null'],
  success: ['boolean', 'or_null'],
  score: ['double', 'or_null'],
  decided_share: ['double', 'or_null'],
  about: ['text', 'or_null'],
  ending: ['text', 'or_null'],
  explanation: ['text', 'always'],
  steps: ['int32', 'or_null'],
  tokens: ['int64', 'or_null'],
  cost_usd: ['double', 'or_null'],
  duration_ms: ['int64', 'or_null'],
};

const VERDICT_COLUMNS: ColumnsOf<VerdictLine> = {
  ...COUNTED_COLUMNS,
  criterion: ['text', 'always'],
  verdict: ['text', 'always'],
  passed: ['boolean', 'or_null'],
  reason: ['text', 'always'],
  evidence_span_id: ['text', 'or_null'],
  judge: ['text', 'or_null'],
  judge_version: ['text', 'or_null'],
  judge_model: ['text', 'or_null'],
  undecided: ['text', 'or_null'],
};

const TABLES = {
  conversations: CONVERSATION_COLUMNS,
  evaluations: EVALUATION_COLUMNS,
  verdicts: VERDICT_COLUMNS,
} satisfies Record<ExportTable, object>;

export function columnsOf(table: ExportTable): readonly ExportColumn[] {
  return Object.entries<readonly [ColumnKind, 'always' | 'or_null']>(TABLES[table]).map(([name, [kind, has]]) => ({
    name,
    kind,
    always: has === 'always',
  }));
}

/** Evaluations that wait for a judge are in neither of the tables about them: nothing counts them yet. */
export class ExportRows {
  readonly #suites: ReadonlySet<string> | undefined;
  /** Few texts of labels differ, and each is read once. */
  readonly #labels = new Map<string, Labels>();

  /** Only evaluations by these suites; by all unless given. */
  constructor(suites: readonly string[] | undefined) {
    this.#suites = suites === undefined ? undefined : new Set(suites);
  }

  of(table: ExportTable, conversation: ExportedConversation): readonly ExportRow[] {
    switch (table) {
      case 'conversations':
        return [conversationRow(conversation)];
      case 'evaluations':
        return this.#evaluations(conversation);
      case 'verdicts':
        return this.#verdicts(conversation);
    }
  }

  #evaluations(conversation: ExportedConversation): readonly EvaluationLine[] {
    return this.#counted(conversation).map(({ counted, evaluation, seen }) => {
      const { outcome, because, score, decidedShare, about, ending, explanation } = evaluation;
      const began = seen === undefined ? undefined : timeOf(seen);
      return {
        ...counted,
        began_at: began === undefined ? null : isoTime(began),
        scored_at: seen?.at === undefined ? null : isoTime(seen.at),
        outcome,
        because: because ?? null,
        success: isInSuccessRate(outcome) ? isGood(outcome) : null,
        score: score === undefined ? null : shareOf(score),
        decided_share: decidedShare === undefined ? null : shareOf(decidedShare),
        about: about ?? null,
        ending: ending ?? null,
        explanation,
        steps: seen?.steps ?? null,
        tokens: seen?.tokens ?? null,
        cost_usd: seen?.costNanos === undefined ? null : seen.costNanos / NANO,
        duration_ms: seen?.durationMs ?? null,
      };
    });
  }

  #verdicts(conversation: ExportedConversation): readonly VerdictLine[] {
    return this.#counted(conversation).flatMap(({ counted, evaluation: { verdicts } }) =>
      [...verdicts].map(([criterion, verdict]) => {
        const { reason, evidence, judgedBy, undecided } = partsOf(verdict);
        const decision = decisionOf(verdict.verdict);
        return {
          ...counted,
          criterion,
          verdict: verdict.verdict,
          passed: decision === undefined ? null : decision === 'pass',
          reason,
          evidence_span_id: evidence[0] ?? null,
          judge: judgedBy?.judge ?? null,
          judge_version: judgedBy?.version ?? null,
          judge_model: judgedBy?.model ?? null,
          undecided: undecided ?? null,
        };
      }),
    );
  }

  #counted({ row, evaluations }: ExportedConversation) {
    return evaluations.flatMap(({ evaluation, madeAt, seen, labels }) => {
      if (madeAt === undefined || labels === undefined) return [];
      if (this.#suites?.has(evaluation.suite) === false) return [];
      const counted = {
        conversation_id: row.conversationId,
        ...this.#labelsIn(labels),
        ...placeOf(evaluation),
        evaluated_at: isoTime(madeAt),
      };
      return [{ counted, evaluation, seen }];
    });
  }

  #labelsIn(text: string): Labels {
    const known = this.#labels.get(text) ?? labelsSchema.parse(JSON.parse(text));
    if (this.#labels.size < LABELS_KEPT_MAX) this.#labels.set(text, known);
    return known;
  }
}

const LABELS_KEPT_MAX = 10_000;

const labelsSchema = z
  .object({
    agent: z.string(),
    agent_version: z.string(),
    environment: z.string(),
    segment: z.string().optional(),
  })
  .transform(({ segment, ...labels }) => ({
    ...labels,
    segment: segment === undefined || segment === '' ? null : segment,
  }));
type Labels = z.output<typeof labelsSchema>;

function placeOf({ suite, suiteVersion, scope, turnId, revision }: Evaluation) {
  return { suite, suite_version: suiteVersion, scope, turn_id: turnId ?? null, revision };
}

function conversationRow({ row, evaluations }: ExportedConversation): ConversationLine {
  const { evaluations: _listed, evaluations_left_out: _left, ...item } = conversationItemOf(row, evaluations, []);
  return item;
}
