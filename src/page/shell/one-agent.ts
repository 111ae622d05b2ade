/** The filters of a view that speaks of one agent: the one with the latest conversation, unless the address names another. */
import type { Facets } from '../../api/facets.ts';
import { type Filter, plainChoices, sharedFilterList } from './filter-bar.tsx';
import { type Place, withChanges } from './place.ts';

export function oneAgent(
  place: Place,
  facets: Facets,
): { readonly query: URLSearchParams; readonly filters: readonly Filter[] } {
  const lastOf = (agent: string) =>
    facets.agent_versions.reduce((last, one) => (one.agent === agent && one.last_at > last ? one.last_at : last), '');
  const [first = ''] = facets.agents.toSorted((a, b) => (lastOf(a) < lastOf(b) ? 1 : lastOf(a) > lastOf(b) ? -1 : 0));
  const query = place.query.has('agent') ? place.query : withChanges(place.query, { agent: first });
  const filters = sharedFilterList({ ...place, query }, facets).flatMap((filter) => {
    if (filter.name !== 'agent') return [filter];
    const others = facets.agents.filter((one) => one !== first);
    return others.length === 0 && !place.query.has('agent')
      ? []
      : [{ ...filter, all: first, usual: first, choices: plainChoices(others) }];
  });
  return { query, filters };
}
