/** The table of comparisons of `/api/v1`. All of it is answered in a thread of its own (`../../comparing/comparing-thread.ts`). */
import type { RemoteRead } from '../../../report/http/route.ts';
import { getComparedCase } from './compared-case.ts';
import type { ComparingSide } from './comparing-side.ts';
import { compareTwo, gateOfTwo } from './experiment-compare.ts';
import { getExperiment, listExperiments } from './experiment-list.ts';
import { compareVersions } from './version-compare.ts';

/** `getExperiment` stands for any other name behind `experiments`, so it comes after those that have one. */
export const COMPARING_READS: readonly RemoteRead<ComparingSide>[] = [
  listExperiments,
  compareTwo,
  getComparedCase,
  gateOfTwo,
  getExperiment,
  compareVersions,
];
