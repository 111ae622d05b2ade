/**
 * `GET /api/v1/finds`: facts that are over-represented where conversations of an agent went badly, and tools and errors
 * that are new, without a reading. All of them are tested together (`statistics/discovery/finds.ts`).
 */
import { type FindsAnswer, findsAnswer, findsQuery } from '../../../api/finds.ts';
import type { FindSource } from '../../../model/find-sources.ts';
import { FAILED_OUTCOMES, severityOf } from '../../../model/severity.ts';
import { factTable } from '../../../statistics/discovery/fact-table.ts';
import { findsIn } from '../../../statistics/discovery/finds.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';
import type { FrameQuery } from '../../../store/frame-reader.ts';
import { contrastsOf } from './contrasts.ts';
import { findJson, listLink } from './find-json.ts';
import { frameQueryOf } from './frame-asked.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const LOOKED_AT_MAX = 100_000;
const EARLIER_MAX = 50_000;
const EARLIER_MS = 28 * 86_400_000;
const FINDS_MAX = 40;

const LISTED_BY: Readonly<Record<FindSource, Readonly<Record<string, string | readonly string[]>>>> = {
  came_out_bad: { came_out: 'bad' },
  feedback_negative: { feedback: 'negative' },
  criteria_failed: { outcome: FAILED_OUTCOMES.filter((one) => severityOf(one) !== severityOf('graceful_failure')) },
  read_bad: { read: 'bad' },
  new: {},
};

export const getFinds = v1Read({
  path: '/api/v1/finds',
  summary: `?agent= &agent_version= &environment= &segment= &since=7d &until=
facts that set an agent's conversations that went badly apart, and tools and errors that are new, without a reading`,
  query: findsQuery,
  answer: findsAnswer,
  read: ({ reader }: Pick<V1Side, 'reader'>, asked): Promise<FindsAnswer> =>
    foundIn(reader, { ...frameQueryOf(asked), agent: asked.agent }),
});

async function foundIn(
  reader: Pick<ConversationReader, 'frame'>,
  query: FrameQuery & { readonly agent: string },
): Promise<FindsAnswer> {
  const { since, until, agent } = query;
  const { conversations, isCut } = await reader.frame.factsOf(query, LOOKED_AT_MAX);
  const before = { ...query, since: since - EARLIER_MS, until: since };
  const earlier = (await reader.frame.factsOf(before, EARLIER_MAX)).conversations;
  const table = factTable([...conversations, ...earlier].map(({ facts }) => facts));
  const { finds, lookedAt, sizes } = findsIn(table, contrastsOf(conversations, earlier.length));
  // The casts hold because the names are those of the contrasts.
  const { agentVersion: agent_version, environment, segment } = query;
  return {
    ...{ agent, since: isoTime(since), until: isoTime(until) },
    ...{ conversations: conversations.length, looked_at: lookedAt, cut: isCut },
    sources: sizes.map(({ name, within, beside }) => ({
      source: name as FindSource,
      conversations: within,
      others: beside,
    })),
    finds: finds.slice(0, FINDS_MAX).map((find) => {
      const source = find.of as FindSource;
      const filters = { agent, agent_version, environment, segment, since, until, ...LISTED_BY[source] };
      const linkTo = (fact: string) => listLink({ ...filters, fact });
      return { source, ...findJson(find, { conversations, source, linkTo }) };
    }),
  };
}
