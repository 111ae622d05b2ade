/**
 * Questions that need the suites themselves. `POST /api/v1/what-if`: moves weights of a suite and answers with what stored
 * conversations would have scored. `GET /api/v1/golden-comparison/{conversation...}` compares a conversation with golden
 * traces, and `GET /api/v1/test/{conversation...}` writes it as a test. `GET /api/v1/criteria/learned` looks for criteria.
 */
import { z } from 'zod';
import { goldenComparisons } from '../../api/golden-comparison.ts';
import { learnedCriteria, learnedQuery } from '../../api/learned.ts';
import { whatIf, type WhatIfQuestion, whatIfQuestion } from '../../api/what-if.ts';
import { type Answer, jsonAnswer, mistakesAnswer } from '../../report/http/answer.ts';
import { ask, asking, type Client, type Route, read } from '../../report/http/route.ts';
import { reweighingMistakes, unknownName } from '../../score/suite/reweigh.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { type Reweighing, SUITE_PATHS } from './reweighing.ts';
import type { ClientQuestion } from './what-if-protocol.ts';

export interface WhatIfApi {
  readonly reweighing: Pick<Reweighing, 'answer'>;
  readonly liveSuites: () => readonly SuiteOutline[];
}

const NOTHING = z.strictObject({});
const testQuery = z.strictObject({
  suite: z.string().max(100).optional().meta({ description: 'a live suite; that of the worst outcome unless given' }),
  turn: z.string().max(400).optional().meta({ description: 'a turn_id, for a suite that scores turns' }),
});

export const WHAT_IF_ROUTES: readonly Route<WhatIfApi>[] = [
  ask(
    SUITE_PATHS['what-if'],
    `{suite, weights?: {criterion: number}, off?: [criterion], since?, agent?, agent_version?, limit?}
TCR, outcomes and conversations that other weights would have changed, from stored verdicts; changes nothing`,
    { body: whatIfQuestion, answer: whatIf },
    asking(whatIfQuestion, async (side: WhatIfApi, question, { client }) => {
      const problems = problemsOf(question, side.liveSuites());
      if (problems.length > 0) return jsonAnswer(400, { error: 'the body has mistakes', problems });
      return answerTo(side, { is: 'what-if', question }, client);
    }),
  ),
  {
    ...read(
      SUITE_PATHS.golden,
      'a conversation beside the golden traces that its suites have for it, step by step: docs/golden-traces.md',
      (side: WhatIfApi, { query, parameters, client }) => {
        const parsed = NOTHING.safeParse(Object.fromEntries(query));
        if (!parsed.success) return mistakesAnswer('query', parsed.error, Object.fromEntries(query));
        return answerTo(side, { is: 'golden', conversation: parameters.get('conversation') ?? '' }, client);
      },
    ),
    shapes: { query: NOTHING, answer: goldenComparisons },
  },
  {
    ...read(
      SUITE_PATHS.test,
      '?suite= &turn= a conversation as a test of a suite, with the verdicts that it was given, in YAML: docs/suites.md',
      (side: WhatIfApi, { query, parameters, client }) => {
        const parsed = testQuery.safeParse(Object.fromEntries(query));
        if (!parsed.success) return mistakesAnswer('query', parsed.error, Object.fromEntries(query));
        const { suite, turn } = parsed.data;
        const conversation = parameters.get('conversation') ?? '';
        return answerTo(side, { is: 'test', conversation, suite, turn }, client);
      },
    ),
    shapes: { query: testQuery, answer: undefined, type: 'application/yaml' },
  },
  {
    ...read(
      SUITE_PATHS.criteria,
      '?agent= &agent_version= &environment= &segment= &since=7d &until= criteria that tell failures which people found, measured by other readings',
      (side: WhatIfApi, { query, client }) => {
        const parsed = learnedQuery.safeParse(Object.fromEntries(query));
        if (!parsed.success) return mistakesAnswer('query', parsed.error, Object.fromEntries(query));
        return answerTo(side, { is: 'criteria', asked: parsed.data }, client);
      },
    ),
    shapes: { query: learnedQuery, answer: learnedCriteria },
  },
];

function answerTo(side: WhatIfApi, question: ClientQuestion, { from, gone: signal }: Client): Promise<Answer> {
  return side.reweighing.answer({ question, from, signal });
}

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
