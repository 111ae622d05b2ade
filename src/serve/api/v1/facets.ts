/** `GET /api/v1/facets`: the values that filters can have, from the history of evaluations. */
import { type Facets, facets, facetsQuery } from '../../../api/facets.ts';
import { TEST_AGENT } from '../../../model/agent-labels.ts';
import { versionKey, versionsFirstSeen } from './agent-versions.ts';
import { liveSuites } from './chosen-suite.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const HOUR_MS = 3_600_000;
/** Default of `since`. */
const SINCE_MS = 30 * 24 * HOUR_MS;
const COUNTED_MAX = 10_000;
const SHOWN_MAX = 1_000;

export const getFacets = v1Read({
  path: '/api/v1/facets',
  summary: '?since=30d the agents, versions, environments, segments and suites that evaluations were counted under',
  query: facetsQuery,
  answer: facets,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, query): Promise<Facets> => {
    const since = query.since ?? Date.now() - SINCE_MS;
    const counted = await reader.pages.countedPlaces({ width: HOUR_MS, since: Math.floor(since / HOUR_MS) * HOUR_MS });
    const places = counted.filter(({ agent }) => agent !== TEST_AGENT);
    const firstSeen = new Map((await versionsFirstSeen(reader)).map((one) => [versionKey(one), one.at]));
    const versions = [...Map.groupBy(places, versionKey)].flatMap(([key, all]) =>
      all.slice(0, 1).map(({ agent, agentVersion }) => {
        // A stretch of the history begins before what is in it.
        const first = firstSeen.get(key) ?? Math.min(...all.map((place) => place.first));
        return { key, agent, agentVersion, first, last: Math.max(first, ...all.map((place) => place.last)) };
      }),
    );
    const conversations = await reader.pages.countUpTo(COUNTED_MAX + 1);
    return {
      agents: names(places.map(({ agent }) => agent)),
      agent_versions: versions
        .toSorted((a, b) => b.first - a.first || (a.key < b.key ? -1 : 1))
        .slice(0, SHOWN_MAX)
        .map(({ agent, agentVersion, first, last }) => ({
          agent,
          agent_version: agentVersion,
          first_at: isoTime(first),
          last_at: isoTime(last),
        })),
      environments: names(places.map(({ environment }) => environment)),
      segments: names(places.map(({ segment }) => segment).filter((segment) => segment !== '')),
      suites: liveSuites(suites()).map(({ name }) => name),
      conversations: Math.min(conversations, COUNTED_MAX),
      conversations_over: conversations > COUNTED_MAX,
    };
  },
});

function names(all: readonly string[]): readonly string[] {
  return [...new Set(all)].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, SHOWN_MAX);
}
