/** The filters of a view that speaks of one agent: the first one, unless the address names another. */
import type { Facets } from '../../api/facets.ts';
import { type Filter, plainChoices, sharedFilterList } from './filter-bar.tsx';
import { type Place, withChanges } from './place.ts';

export function oneAgent(
  place: Place,
  facets: Facets,
): { readonly query: URLSearchParams; readonly filters: readonly Filter[] } {
  const [first = ''] = facets.agents;
  const query = place.query.has('agent') ? place.query : withChanges(place.query, { agent: first });
  const filters = sharedFilterList({ ...place, query }, facets).flatMap((filter) => {
    if (filter.name !== 'agent') return [filter];
    const others = facets.agents.filter((one) => one !== first);
    return others.length === 0 && !place.query.has('agent')
      ? []
      : [{ ...filter, all: first, choices: plainChoices(others) }];
  });
  return { query, filters };
}
