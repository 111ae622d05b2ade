/**
 * Reads evidence from the store for a change that detection found: the versions and segments that have it, and the
 * worst conversations to look at. Reads only the latest conversations, however many there are, and none of their text.
 *
 * A part of the traffic has conversations of that part only. A configured segment is a filter of the store. Other parts
 * are known from spans alone, so the worst conversations are read until enough of them have it.
 */
import { z } from 'zod';
import type { Transition } from '../../model/detection.ts';
import { OUTCOMES } from '../../model/evaluation.ts';
import { bySeverity, isFailure } from '../../model/severity.ts';
import { type Evidence, NO_EVIDENCE } from '../../report/webhooks/detection-record.ts';
import type { ConversationApi } from './conversation-api.ts';
import type { TraitsOf } from '../store-place/stored-traits.ts';

const LOOKED_AT = 200;
const SHOWN = 10;
/** Conversations whose spans are read for one part. */
const READ_MAX = 40;
const SEGMENT = 'segment: ';
const BEGAN_BEFORE_MS = 3_600_000;

/** A page of conversations as the API lists them. */
const pageSchema = z.object({
  conversations: z.array(
    z.object({
      conversation_id: z.string(),
      agent_version: z.string(),
      environment: z.string(),
      segment: z.string().optional(),
      evaluations: z.array(
        z.object({
          suite: z.string(),
          score: z.number().nullable(),
          outcome: z.enum(OUTCOMES),
          because: z.string().optional(),
        }),
      ),
    }),
  ),
});

type Listed = z.infer<typeof pageSchema>['conversations'][number];

export async function evidenceOf(
  { reading, kind }: Pick<Transition, 'kind' | 'reading'>,
  conversations: ConversationApi,
  traitsOf: TraitsOf,
): Promise<Evidence> {
  const { suite, agent, environment } = reading;
  const part = 'part' in reading ? reading.part : undefined;
  const isSegment = part?.startsWith(SEGMENT) === true;
  const onset = kind === 'level' && 'onset' in reading ? reading.onset : undefined;
  const query = {
    suite,
    agent,
    ...(kind === 'version' && 'version' in reading ? { agentVersion: reading.version } : {}),
    ...(isSegment ? { segment: part.slice(SEGMENT.length) } : {}),
    limit: LOOKED_AT,
  };
  // Detection goes by log time, and a conversation began before it was scored; a history that was read in, long before.
  const recent = onset === undefined ? query : { ...query, since: onset - BEGAN_BEFORE_MS };
  const since = await list(conversations, recent, environment);
  const [asked, all] = since.length > 0 ? [recent, since] : [query, await list(conversations, query, environment)];
  const criterion = 'criterion' in reading ? reading.criterion : undefined;
  const failing = criterion === undefined ? all : await list(conversations, { ...asked, criterion }, environment);
  if (all.length === 0) return NO_EVIDENCE;
  const bad = worst(failing, suite);
  if (part !== undefined && !isSegment) return { where: [], worst_conversations: await withTrait(part, bad, traitsOf) };
  return { where: where(all, suite), worst_conversations: bad.slice(0, SHOWN) };
}

async function withTrait(
  trait: string,
  bad: Evidence['worst_conversations'],
  traitsOf: TraitsOf,
): Promise<Evidence['worst_conversations']> {
  const found: Evidence['worst_conversations'] = [];
  for (const one of bad.slice(0, READ_MAX)) {
    if (found.length === SHOWN) break;
    if ((await traitsOf(one.conversation_id)).includes(trait)) found.push(one);
  }
  return found;
}

async function list(
  conversations: ConversationApi,
  query: Parameters<ConversationApi['list']>[0],
  environment: string,
): Promise<readonly Listed[]> {
  const page = pageSchema.parse(await conversations.list(query));
  return page.conversations.filter((one) => one.environment === environment);
}

function where(listed: readonly Listed[], suite: string): Evidence['where'] {
  const places = Map.groupBy(listed, ({ agent_version, segment }) => JSON.stringify([agent_version, segment ?? null]));
  return [...places.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { agent_version, segment } = first;
      const failed = group.filter((one) => ofSuite(one, suite).some(isFailed)).length;
      return [{ agent_version, ...(segment === undefined ? {} : { segment }), conversations: group.length, failed }];
    })
    .toSorted((a, b) => b.failed - a.failed || b.conversations - a.conversations)
    .slice(0, SHOWN);
}

function worst(listed: readonly Listed[], suite: string): Evidence['worst_conversations'] {
  return listed
    .flatMap((one) =>
      ofSuite(one, suite)
        .filter(isFailed)
        .map(({ score, outcome, because }) => ({
          conversation_id: one.conversation_id,
          agent_version: one.agent_version,
          score,
          outcome,
          ...(because === undefined ? {} : { because }),
        })),
    )
    .toSorted((a, b) => bySeverity(b.outcome, a.outcome) || (a.score ?? 1) - (b.score ?? 1));
}

function ofSuite(one: Listed, suite: string): Listed['evaluations'] {
  return one.evaluations.filter((evaluation) => evaluation.suite === suite);
}

function isFailed({ outcome }: Listed['evaluations'][number]): boolean {
  return isFailure(outcome);
}
