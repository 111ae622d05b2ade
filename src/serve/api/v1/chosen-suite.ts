/** The suite that a query names. */
import { isLive, type SuiteOutline } from '../../../engine/suite-outline.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { Refusal } from './v1-read.ts';

/** The first live one unless named. Suites in shadow are in no history. */
export function chosenSuite(suites: readonly SuiteOutline[], name: string | undefined): SuiteOutline | Refusal {
  const live = suites.filter(isLive);
  const found = name === undefined ? live[0] : live.find((suite) => suite.name === name);
  if (found !== undefined) return found;
  const runs = live.length === 0 ? 'no suite runs here' : `there are ${live.map((suite) => suite.name).join(', ')}`;
  return new Refusal(jsonAnswer(404, { error: `no suite ${JSON.stringify(name ?? '')} runs here: ${runs}` }));
}
