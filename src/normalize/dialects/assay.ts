/** Assay's own marks, as `assay/instrument` or an application writes them. See `model/marks.ts`. */
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../../model/marks.ts';
import type { Dialect } from '../dialect.ts';
import { asBoolean, row } from '../rows.ts';

export const assay: Dialect = {
  name: 'assay',
  rows: [row('ended', END_MARK, asBoolean)],
  captured: [
    ['state', STATE_MARK],
    ['truth', TRUTH_MARK],
  ],
};
