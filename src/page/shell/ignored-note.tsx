/** Says which parts of an address the view does not know: a link that somebody mistyped shows more than was meant. */
import type { Facets } from '../../api/facets.ts';
import type { PageView } from '../../model/page-views.ts';
import { SpanText } from '../text/span-text.tsx';
import { LIST_FILTERS, type Place, sharedFilters } from './place.ts';

/** Parameters of each view besides the filters that all have. */
const OWN: Readonly<Record<PageView, readonly string[]>> = {
  overview: [],
  conversations: [...LIST_FILTERS, 'columns', 'verdict', 'turn', 'step', 'reading', 'beside'],
  versions: ['tab', 'a', 'b', 'case'],
  read: ['part'],
  failures: [],
  review: ['criterion', 'because'],
  suites: ['weights', 'off'],
};
const NAMED_MAX = 5;

export function IgnoredNote({ place, facets }: { readonly place: Place; readonly facets: Facets }) {
  const ignored = ignoredIn(place, facets);
  if (ignored.length === 0) return null;
  const more = ignored.length > NAMED_MAX ? ` and ${ignored.length - NAMED_MAX} more` : '';
  return (
    <p class="away" role="status">
      {'Nothing here goes by this part of the address: '}
      <SpanText text={ignored.slice(0, NAMED_MAX).join(', ')} />
      {`${more}.`}
    </p>
  );
}

/** As they stand in the address. The API refuses values of its own parameters that it does not know. */
export function ignoredIn({ view, query }: Place, { suites }: Pick<Facets, 'suites'>): readonly string[] {
  const shared = sharedFilters(query);
  return [...query].flatMap(([name, value]) => {
    const isKnown = shared.has(name) || OWN[view].includes(name);
    // The list of suites has no choice that would show it.
    const isLost = view === 'suites' && name === 'suite' && !suites.includes(value);
    return !isKnown || isLost ? [`${name}=${value}`] : [];
  });
}
