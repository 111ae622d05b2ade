/** The suite that a query names. */
import { isLive, type SuiteOutline } from '../../../engine/suite-outline.ts';
import { ABOUTS } from '../../../model/evaluation.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { Refusal } from './v1-read.ts';

/**
 * Suites that run, without those in shadow: the one that says most about the task comes first, because people look at
 * it first. Among equals it is the order of the configuration.
 */
export function liveSuites(suites: readonly SuiteOutline[]): readonly SuiteOutline[] {
  return suites.filter(isLive).toSorted((a, b) => ABOUTS.indexOf(b.about) - ABOUTS.indexOf(a.about));
}

/** The first live one unless named. Suites in shadow are in no history. */
export function chosenSuite(suites: readonly SuiteOutline[], name: string | undefined): SuiteOutline | Refusal {
  const live = liveSuites(suites);
  const found = name === undefined ? live[0] : live.find((suite) => suite.name === name);
  if (found !== undefined) return found;
  const runs = live.length === 0 ? 'no suite runs here' : `there are ${live.map((suite) => suite.name).join(', ')}`;
  return new Refusal(jsonAnswer(404, { error: `no suite ${JSON.stringify(name ?? '')} runs here: ${runs}` }));
}
