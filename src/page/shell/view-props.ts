/** The properties of every view. */
import type { Facets } from '../../api/facets.ts';
import type { Place } from './place.ts';

export interface ViewProps {
  readonly place: Place;
  readonly facets: Facets;
}
