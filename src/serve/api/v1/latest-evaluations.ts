/**
 * The latest evaluations of a suite, for figures that the history does not keep: conversations from the newest back, a
 * page at a time, up to a limit of conversations and of rows that are looked at.
 */
import { z } from 'zod';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { Outcome, VerdictKind } from '../../../model/evaluation.ts';
import { decodeBasis } from '../../../store/basis-codec.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';
import type { ConversationSearch, SearchCursor } from '../../../store/conversation-search.ts';
import type { ScannedEvaluation } from '../../../store/evaluation-scan.ts';

const PAGE = 500;
const LOOKED_AT_MAX = 200_000;
const MILLION = 1_000_000;

/** By the version of the suite that runs. */
export interface LatestEvaluation {
  /** The store's number of the conversation. */
  readonly conversation: number;
  /** Log time. */
  readonly at: number;
  readonly agentVersion: string;
  readonly environment: string;
  /** Empty where none is configured. */
  readonly segment: string;
  /** From 0 to 1. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
  /** Effort of the conversation or the turn, as far as it is known. */
  readonly used: Pick<ScannedEvaluation['seen'], 'steps' | 'tokens' | 'costNanos'>;
}

interface LatestEvaluations {
  readonly evaluations: readonly LatestEvaluation[];
  /** Evaluations by other versions of the suite, or from before their verdicts were kept so. */
  readonly others: number;
  /** There are more conversations than were read. */
  readonly isCut: boolean;
}

const labelsSchema = z.object({ agent_version: z.string(), environment: z.string(), segment: z.string().default('') });

export async function latestEvaluations(
  reader: Pick<ConversationReader, 'pages'>,
  suite: SuiteOutline,
  asked: Pick<ConversationSearch, 'agents' | 'agentVersions' | 'environments' | 'segments' | 'since'> & {
    readonly conversationsMax: number;
  },
): Promise<LatestEvaluations> {
  const { conversationsMax, ...filters } = asked;
  const evaluations: LatestEvaluation[] = [];
  let others = 0;
  let conversations = 0;
  let lookedAt = 0;
  let cursor: SearchCursor | undefined;
  for (;;) {
    const limit = Math.min(PAGE, conversationsMax - conversations);
    const page = await reader.pages.search({ ...filters, order: 'latest', limit, cursor });
    for (const scanned of await reader.pages.lastScanned(page.rows, suite.name)) {
      const evaluation = latestFrom(scanned, suite);
      if (evaluation === undefined) others += 1;
      else evaluations.push(evaluation);
    }
    conversations += page.rows.length;
    lookedAt += page.lookedAt;
    cursor = page.next;
    if (cursor === undefined) return { evaluations, others, isCut: false };
    if (conversations >= conversationsMax || lookedAt >= LOOKED_AT_MAX) return { evaluations, others, isCut: true };
  }
}

function latestFrom(scanned: ScannedEvaluation, suite: SuiteOutline): LatestEvaluation | undefined {
  const { basis, suiteVersion, labels, score, outcome, seen, createdAt } = scanned;
  if (basis === undefined || suiteVersion !== suite.version) return undefined;
  const { verdicts } = decodeBasis(basis);
  // A suite that was changed without a new version.
  if (verdicts.length !== suite.criteria.length) return undefined;
  const known = labelsSchema.parse(JSON.parse(labels));
  return {
    conversation: scanned.conversation,
    at: seen.at ?? createdAt,
    agentVersion: known.agent_version,
    environment: known.environment,
    segment: known.segment,
    score: score === undefined ? undefined : score / MILLION,
    outcome,
    verdicts: new Map(suite.criteria.map(({ name }, place) => [name, verdicts[place]?.verdict ?? 'skipped'] as const)),
    used: seen,
  };
}
