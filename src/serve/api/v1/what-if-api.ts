/** `POST /api/v1/what-if`: moves weights of a suite and answers with what stored conversations would have scored. */
import { whatIf, type WhatIfQuestion, whatIfQuestion } from '../../../model/api/what-if.ts';
import { type Answer, jsonAnswer } from '../../../report/http/answer.ts';
import { ask, asking, type Route } from '../../../report/http/route.ts';
import { reweighingMistakes, unknownName } from '../../../score/reweigh.ts';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { addressGroup } from '../../../listen/address-group.ts';
import { type Reweighing, WHAT_IF_PATH } from '../../what-if/reweighing.ts';
import { untilGone } from '../until-gone.ts';

export interface WhatIfApi {
  readonly reweighing: Pick<Reweighing, 'answer'>;
  readonly liveSuites: () => readonly SuiteOutline[];
}

export const WHAT_IF_ROUTES: readonly Route<WhatIfApi>[] = [
  ask(
    WHAT_IF_PATH,
    `{suite, weights?: {criterion: number}, off?: [criterion], since?, agent?, agent_version?, limit?}
TCR, outcomes and conversations that other weights would have changed, from stored verdicts; changes nothing`,
    { body: whatIfQuestion, answer: whatIf },
    asking(whatIfQuestion, async (side: WhatIfApi, question, { request }) => {
      const problems = problemsOf(question, side.liveSuites());
      if (problems.length > 0) return jsonAnswer(400, { error: 'the body has mistakes', problems });
      const from = addressGroup(request.socket.remoteAddress);
      return untilGone(request, (signal): Promise<Answer> => side.reweighing.answer({ question, from, signal }));
    }),
  ),
];

function problemsOf(question: WhatIfQuestion, suites: readonly SuiteOutline[]): readonly string[] {
  const suite = suites.find(({ name }) => name === question.suite);
  if (suite !== undefined) return reweighingMistakes(suite, question);
  return [
    unknownName(
      'live suite',
      question.suite,
      suites.map(({ name }) => name),
    ),
  ];
}
