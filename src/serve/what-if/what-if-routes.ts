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
import { ask, type Asked, asking, type Client, type Route, type RouteShapes, read } from '../../report/http/route.ts';
import { reweighingMistakes, unknownName } from '../../score/suite/reweigh.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { type Reweighing, SUITE_PATHS } from './reweighing.ts';
import type { ClientQuestion } from './what-if-protocol.ts';

export interface WhatIfApi {
  readonly reweighing: Pick<Reweighing, 'answer'>;
  readonly liveSuites: () => readonly SuiteOutline[];
}

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
  reading(
    SUITE_PATHS.golden,
    'a conversation beside the golden traces that its suites have for it, step by step: docs/score/golden-traces.md',
    { query: z.strictObject({}), answer: goldenComparisons },
    (_, conversation) => ({ is: 'golden', conversation }),
  ),
  reading(
    SUITE_PATHS.test,
    '?suite= &turn= a conversation as a test of a suite, with the verdicts that it was given, in YAML: docs/score/suites.md',
    { query: testQuery, answer: undefined, type: 'application/yaml' },
    ({ suite, turn }, conversation) => ({ is: 'test', conversation, suite, turn }),
  ),
  reading(
    SUITE_PATHS.criteria,
    '?agent= &agent_version= &environment= &segment= &since=7d &until= criteria that tell failures which people found, measured by other readings',
    { query: learnedQuery, answer: learnedCriteria },
    (asked) => ({ is: 'criteria', asked }),
  ),
];

function reading<Query extends z.ZodObject>(
  path: string,
  summary: string,
  shapes: RouteShapes & { readonly query: Query },
  questionOf: (asked: z.output<Query>, conversation: string) => ClientQuestion,
): Route<WhatIfApi> {
  const answer = (side: WhatIfApi, { query, parameters, client }: Asked) => {
    const given = Object.fromEntries(query);
    const parsed = shapes.query.safeParse(given);
    if (!parsed.success) return mistakesAnswer('query', parsed.error, given);
    return answerTo(side, questionOf(parsed.data, parameters.get('conversation') ?? ''), client);
  };
  return { ...read(path, summary, answer), shapes };
}

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
