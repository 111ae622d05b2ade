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
const SLICES = 8;
const LOOKED_AT_MAX = 200_000;
const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

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
  asked: Pick<ConversationSearch, 'suites' | 'agents' | 'agentVersions' | 'environments' | 'segments' | 'since'> & {
    readonly conversationsMax: number;
    /** Log times between which they were scored. A conversation is found up to a day after it has changed. */
    readonly period?: { readonly since: number | undefined; readonly until: number | undefined };
  },
): Promise<LatestEvaluations> {
  const { conversationsMax, period, ...rest } = asked;
  // Late feedback makes a revision, and does not move the time of the conversation.
  const filters = period?.since === undefined ? rest : { ...rest, since: period.since - DAY_MS };
  const from = latestFrom(suite);
  const evaluations: LatestEvaluation[] = [];
  let others = 0;
  let conversations = 0;
  let lookedAt = 0;
  let cursor: SearchCursor | undefined =
    period?.until === undefined ? undefined : { before: await firstRowSince(reader, period.until + DAY_MS) };
  for (;;) {
    const limit = Math.min(PAGE, conversationsMax - conversations);
    const page = await reader.pages.search({ ...filters, order: 'latest', limit, cursor });
    for (const scanned of await reader.pages.lastScanned(page.rows, suite.name)) {
      const at = scanned.seen.at ?? scanned.createdAt;
      if (at < (period?.since ?? at) || at >= (period?.until ?? Number.POSITIVE_INFINITY)) continue;
      const evaluation = from(scanned);
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

/**
 * Evaluations of the conversations between two rows, evenly spread over them: of many, those of a period would otherwise be
 * those of its last minutes.
 */
export async function spreadEvaluations(
  reader: Pick<ConversationReader, 'pages'>,
  suite: SuiteOutline,
  asked: Pick<ConversationSearch, 'agents' | 'agentVersions' | 'environments' | 'since'> & {
    readonly rows: { readonly first: number; readonly before: number };
    readonly conversationsMax: number;
  },
): Promise<LatestEvaluations> {
  const {
    conversationsMax,
    rows: { first, before },
    ...filters
  } = asked;
  const from = latestFrom(suite);
  const limit = Math.ceil(conversationsMax / SLICES);
  const width = (before - first) / SLICES;
  const evaluations: LatestEvaluation[] = [];
  let others = 0;
  let isCut = false;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const begins = Math.round(first + slice * width);
    const cursor = { before: Math.round(first + (slice + 1) * width) };
    const page = await reader.pages.search({ ...filters, order: 'latest', limit, cursor });
    const rows = page.rows.filter(({ row }) => row >= begins);
    isCut ||= rows.length === limit || (page.next?.before ?? 0) > begins;
    for (const scanned of await reader.pages.lastScanned(rows, suite.name)) {
      const evaluation = from(scanned);
      if (evaluation === undefined) others += 1;
      else evaluations.push(evaluation);
    }
  }
  return { evaluations, others, isCut };
}

/**
 * The first row of those that changed since then. Rows follow one another about as they changed, so it is a search among
 * a few of them.
 */
export async function firstRowSince({ pages }: Pick<ConversationReader, 'pages'>, since: number): Promise<number> {
  const rowBefore = async (before: number | undefined) => {
    const cursor = before === undefined ? undefined : { before };
    return (await pages.search({ order: 'latest', limit: 1, cursor })).rows[0];
  };
  let low = 0;
  let high = ((await rowBefore(undefined))?.row ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await rowBefore(middle + 1);
    if (found === undefined || found.updatedAt < since) low = middle + 1;
    else high = found.row;
  }
  return high;
}

/** Few texts of labels differ, and each is read once. */
function latestFrom(suite: SuiteOutline): (scanned: ScannedEvaluation) => LatestEvaluation | undefined {
  const read = new Map<string, z.infer<typeof labelsSchema>>();
  const labelsOf = (text: string) => {
    const known = read.get(text) ?? labelsSchema.parse(JSON.parse(text));
    read.set(text, known);
    return known;
  };
  return ({ conversation, basis, suiteVersion, labels, score, outcome, seen, createdAt }) => {
    if (basis === undefined || suiteVersion !== suite.version) return undefined;
    const { verdicts } = decodeBasis(basis);
    // A suite that was changed without a new version.
    if (verdicts.length !== suite.criteria.length) return undefined;
    const known = labelsOf(labels);
    return {
      conversation,
      at: seen.at ?? createdAt,
      agentVersion: known.agent_version,
      environment: known.environment,
      segment: known.segment,
      score: score === undefined ? undefined : score / MILLION,
      outcome,
      verdicts: new Map(
        suite.criteria.map(({ name }, place) => [name, verdicts[place]?.verdict ?? 'skipped'] as const),
      ),
      used: seen,
    };
  };
}
