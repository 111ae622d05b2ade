/** The golden trace of the articles, and what they say about it. */
import { expect, test } from 'vitest';
import { aConversation, aTurn, content, REDACTED } from '../conversations.ts';
import {
  ANSWER,
  aRun,
  call,
  DETAIL,
  evaluateRun,
  goldenSuite,
  GT_001,
  reasonsOf,
  SEARCH,
  verdictsOf,
} from './ticket-agent.ts';

const suite = goldenSuite(GT_001);
const ALL_PASS = {
  follows_golden_path: 'pass',
  trajectory_score: 'pass',
  within_step_budget: 'pass',
  output_contains: 'pass',
};

test('the run that was recorded follows it, with the optional step and without', () => {
  const whole = evaluateRun(suite, aRun([SEARCH(), DETAIL()]));
  const short = evaluateRun(suite, aRun([SEARCH()]));

  expect(verdictsOf(whole)).toEqual(ALL_PASS);
  expect(verdictsOf(short)).toEqual(ALL_PASS);
  expect(whole.outcome).toBe('successful_completion');
  expect(whole.findings).toBeUndefined();
});

test('the required step missing is a lucky path where the answer is right all the same', () => {
  const evaluation = evaluateRun(suite, aRun([DETAIL()]));

  expect(verdictsOf(evaluation)).toEqual({ ...ALL_PASS, follows_golden_path: 'fail', trajectory_score: 'fail' });
  expect(reasonsOf(evaluation)).toMatchObject({
    follows_golden_path: 'Not as in golden trace gt_001: step 1: search_tickets was not called.',
    trajectory_score:
      'The trajectory score by golden trace gt_001 is 0.00, 0.80 is wanted; step 1: search_tickets was not called.',
  });
  expect(evaluation.findings).toEqual([
    {
      finding: 'lucky_path',
      reason: 'The answer is that of golden trace gt_001, the way to it is not: step 1: search_tickets was not called.',
      evidence: [],
    },
  ]);
});

test('another limit is partly right: half a point, and the call is the evidence', () => {
  const search = call('search_tickets', { account_id: 'ACC-4821', limit: 10 }, { result: content([]) });

  const evaluation = evaluateRun(suite, aRun([search]));

  expect(reasonsOf(evaluation)).toMatchObject({
    follows_golden_path: 'Not as in golden trace gt_001: step 1 (call 1) has wrong arguments: limit is 10, expected 3.',
    trajectory_score: expect.stringContaining(' is 0.50, 0.80 is wanted'),
  });
  expect(evaluation.verdicts.get('follows_golden_path')).toMatchObject({ evidence: [search.spanId] });
});

test('the limit as text is partly right: the optional step is a bonus, and makes it no pass', () => {
  const search = call('search_tickets', { account_id: 'ACC-4821', limit: '3' });
  const withOptional = evaluateRun(suite, aRun([search, DETAIL()]));

  expect(reasonsOf(evaluateRun(suite, aRun([search]))).trajectory_score).toContain(' is 0.50');
  expect(reasonsOf(withOptional).trajectory_score).toContain(
    ' is 0.75 (0.50 without optional steps, which decides), 0.80 is wanted',
  );
  expect(verdictsOf(withOptional).trajectory_score).toBe('fail');
});

test('the output may be in any answer, each text in another one', () => {
  const traces = (place: string) => GT_001.replace('output: {', `output: { ${place}`);
  const talk = aConversation([
    aTurn({ asked: 'Show me the last 3 support tickets for account ACC-4821', answered: 'Is it ACC-4821?' }),
    aTurn({ asked: 'Yes.', answered: 'There is one ticket.' }),
  ]);
  const cut = aConversation([...talk.turns.slice(0, 1), aTurn({ asked: 'Yes.', answered: REDACTED })]);
  const verdict = (place: string, conversation = talk) =>
    evaluateRun(goldenSuite(traces(place)), conversation).verdicts.get('output_contains');

  expect(verdict('')).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('"ACC-4821"') });
  expect(verdict('in: any_answer,')).toMatchObject({
    verdict: 'pass',
    reason: 'The answers have all that golden trace gt_001 expects.',
  });
  expect(verdict('in: any_answer,', cut)).toMatchObject({ verdict: 'not_applicable' });
});

test('the optional step does not make up for a required one that failed', () => {
  const search = call('search_tickets', { account_id: 'ACC-9', limit: 99 });

  expect(reasonsOf(evaluateRun(suite, aRun([search, DETAIL()]))).trajectory_score).toContain(' is 0.00');
});

test('five calls are within the budget, six are silently inefficient', () => {
  const calls = [SEARCH(), ...['TKT-1', 'TKT-2', 'TKT-3', 'TKT-1'].map((id) => DETAIL(id))];

  const five = evaluateRun(suite, aRun(calls));
  const six = evaluateRun(suite, aRun([...calls, DETAIL('TKT-2')]));

  expect(verdictsOf(five)).toEqual(ALL_PASS);
  expect(five.findings).toBeUndefined();
  expect(verdictsOf(six)).toEqual({ ...ALL_PASS, within_step_budget: 'fail' });
  expect(six.findings?.map(({ finding, reason }) => [finding, reason])).toEqual([
    ['silent_inefficiency', 'The answer is that of golden trace gt_001, and took 6 tool calls; 5 are allowed.'],
  ]);
});

test.each([
  ['has both, in whatever case', 'acc-4821: one TICKET', 'pass'],
  ['has no ticket', 'ACC-4821 is fine.', 'fail'],
  ['is about another account', 'ACC-48 has no tickets.', 'fail'],
  ['never came', '', 'fail'],
])('the answer that %s', (_, answered, verdict) => {
  const evaluation = evaluateRun(suite, aRun([SEARCH()], { answered }));

  expect(verdictsOf(evaluation).output_contains).toBe(verdict);
});

test('where the answer is wrong there is nothing to find beyond the verdicts', () => {
  const evaluation = evaluateRun(suite, aRun([DETAIL()], { answered: 'No idea.' }));

  expect(evaluation.findings).toBeUndefined();
});

test('a conversation that no trace is for is not applicable, and says why', () => {
  const evaluation = evaluateRun(suite, aRun([SEARCH()], { asked: 'Cancel my subscription', answered: ANSWER }));

  expect(new Set(Object.values(verdictsOf(evaluation)))).toEqual(new Set(['not_applicable']));
  expect(reasonsOf(evaluation).follows_golden_path).toMatch(
    /^No golden trace is for this conversation: the most similar input, of gt_001, is 0\.\d\d alike, and 0.8 is wanted\.$/,
  );
  expect(evaluation.outcome).toBe('unscored');
});
