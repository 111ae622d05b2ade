/**
 * The latest evaluations of a suite, for figures that the history does not keep: conversations from the newest back, a
 * page at a time, up to a limit of conversations and of rows that are looked at.
 */
import { z } from 'zod';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import type { Outcome, VerdictKind } from '../../../model/evaluation.ts';
import { decodeBasis } from '../../../store/basis-codec.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import {
  type ConversationSearch,
  isBefore,
  type Place,
  placeOf,
  type SearchCursor,
} from '../../../store/conversation-search.ts';
import { type ScannedEvaluation, timeOfScanned } from '../../../store/evaluation-scan.ts';

const PAGE = 500;
const SLICES = 8;
const LOOKED_AT_MAX = 200_000;
const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

/** Evaluation by the version of the suite that runs. */
export interface LatestEvaluation {
  /** The store's number of the conversation. */
  readonly conversation: number;
  /** When the conversation or the turn began. */
  readonly at: number;
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
  /** Empty where none is configured. */
  readonly segment: string;
  /** Number of the user; undefined if spans name nobody. */
  readonly user: number | undefined;
  /** Kind of the conversation: segment, intent and language. */
  readonly kind: string;
  /** From 0 to 1. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** Kind of its failure. */
  readonly because: string | undefined;
  readonly verdicts: ReadonlyMap<string, VerdictKind>;
  /** Effort of the conversation or the turn, as far as it is known. */
  /** See `sub-agents-codec.ts`; undefined where it was stored before that was kept. */
  readonly subAgents: string | undefined;
  readonly used: Pick<ScannedEvaluation['seen'], 'steps' | 'tokens' | 'costNanos'>;
}

export interface LatestEvaluations {
  readonly evaluations: readonly LatestEvaluation[];
  /** Evaluations by other versions of the suite, or from before their verdicts were kept so. */
  readonly others: number;
  /** True if there are more conversations than were read. */
  readonly isCut: boolean;
}

const labelsSchema = z.object({
  agent: z.string(),
  agent_version: z.string(),
  environment: z.string(),
  segment: z.string().default(''),
});

type Filters = Pick<ConversationSearch, 'suites' | 'agents' | 'agentVersions' | 'environments' | 'segments'>;

/** `until` is not in it. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/** Evaluations of the latest conversations that began in a period, or of their turns that did. */
export async function latestEvaluations(
  reader: Pick<ConversationReader, 'pages'>,
  suite: SuiteOutline,
  asked: Filters & Period & { readonly conversationsMax: number },
): Promise<LatestEvaluations> {
  const { conversationsMax, since, until, ...filters } = asked;
  const add = collecting(reader, suite, { since, until });
  let conversations = 0;
  let lookedAt = 0;
  let cursor: SearchCursor | undefined;
  for (;;) {
    const limit = Math.min(PAGE, conversationsMax - conversations);
    const search = { ...filters, since: since - beforeOf(suite), until, order: 'latest', limit, cursor } as const;
    const page = await reader.pages.search(search);
    await add.conversations(page.rows);
    conversations += page.rows.length;
    lookedAt += page.lookedAt;
    cursor = page.next;
    if (cursor === undefined) return add.all(false);
    if (conversations >= conversationsMax || lookedAt >= LOOKED_AT_MAX) return add.all(true);
  }
}

/**
 * Evaluations of a period, of more conversations than the limit evenly spread over it: otherwise they would be those of
 * its last minutes.
 */
export async function spreadEvaluations(
  reader: Pick<ConversationReader, 'pages'>,
  suite: SuiteOutline,
  asked: Pick<ConversationSearch, 'agents' | 'agentVersions' | 'environments'> &
    Period & { readonly conversationsMax: number },
): Promise<LatestEvaluations> {
  const { conversationsMax, since, until, ...filters } = asked;
  const from = since - beforeOf(suite);
  const { first } = await reader.pages.parts({ since: from, until, parts: SLICES, max: LOOKED_AT_MAX });
  const limit = Math.ceil(conversationsMax / SLICES);
  const add = collecting(reader, suite, { since, until });
  let isCut = false;
  for (const [part, { at, row }] of first.entries()) {
    // The page begins with the first conversation of the part.
    const cursor = { before: { at, row: row + 1 } };
    const page = await reader.pages.search({ ...filters, since: from, order: 'latest', limit, cursor });
    const end = first[part + 1];
    const isIn = (place: Place) => end === undefined || isBefore(end, place);
    const rows = page.rows.filter((one) => isIn(placeOf(one)));
    isCut ||= rows.length === limit || (page.next !== undefined && isIn(page.next.before));
    await add.conversations(rows);
  }
  return add.all(isCut);
}

/** Conversations that began so long before a period may have turns in it. */
function beforeOf({ scope }: SuiteOutline): number {
  return scope === 'turn' ? DAY_MS : 0;
}

function collecting(reader: Pick<ConversationReader, 'pages'>, suite: SuiteOutline, { since, until }: Period) {
  const from = latestFrom(suite);
  const evaluations: LatestEvaluation[] = [];
  let others = 0;
  return {
    conversations: async (rows: readonly ConversationRow[]) => {
      for (const scanned of await reader.pages.lastScanned(rows, suite.name)) {
        const at = timeOfScanned(scanned);
        if (at < since || at >= until) continue;
        const evaluation = from(scanned);
        if (evaluation === undefined) others += 1;
        else evaluations.push(evaluation);
      }
    },
    all: (isCut: boolean): LatestEvaluations => ({ evaluations, others, isCut }),
  };
}

/** Few texts of labels differ, and each is read once. */
function latestFrom(suite: SuiteOutline): (scanned: ScannedEvaluation) => LatestEvaluation | undefined {
  const read = new Map<string, z.infer<typeof labelsSchema>>();
  const labelsOf = (text: string) => {
    const known = read.get(text) ?? labelsSchema.parse(JSON.parse(text));
    read.set(text, known);
    return known;
  };
  return (scanned) => {
    const { conversation, basis, suiteVersion, labels, score, outcome, because, subAgents, seen } = scanned;
    if (basis === undefined || suiteVersion !== suite.version) return undefined;
    const { verdicts } = decodeBasis(basis);
    // A suite that was changed without a new version.
    if (verdicts.length !== suite.criteria.length) return undefined;
    const known = labelsOf(labels);
    return {
      conversation,
      at: timeOfScanned(scanned),
      agent: known.agent,
      agentVersion: known.agent_version,
      environment: known.environment,
      segment: known.segment,
      user: seen.userKey,
      kind: `${seen.kindKey ?? ''} ${known.segment}`,
      score: score === undefined ? undefined : score / MILLION,
      outcome,
      because,
      verdicts: new Map(
        suite.criteria.map(({ name }, place) => [name, verdicts[place]?.verdict ?? 'skipped'] as const),
      ),
      subAgents,
      used: seen,
    };
  };
}
