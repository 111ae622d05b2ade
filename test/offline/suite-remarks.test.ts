/** Remarks on suites without mistakes: the limits of their knowledge, and that a crash cannot fail them. */
import { expect, test } from 'vitest';
import { suiteRemarks } from '../../src/offline/suite-remarks.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';

function suiteOf(text: string) {
  const { suite, mistakes } = readSuite(text, 'suite.yaml');
  if (suite === undefined) throw new Error(JSON.stringify(mistakes));
  return suite;
}

const HEAD = `suite: s
scope: SCOPE
criteria:
`;
const BRIEF = '  - { name: brief, question: Brief?, weight: 1, uses: word_limit, with: { fewer_than: 100 } }\n';
const OWN = '  - { name: own, question: Own?, weight: 1, check: size(tools(user_input)) < 9 }\n';
const MAY_FAIL = OWN.replace(' }', ', critical: false }');
const own = (check: string, more = '') =>
  `  - { name: own, question: Own?, weight: 1, check: ${JSON.stringify(check)}${more} }\n`;
const critical = (check: string) =>
  `  - { name: own, question: Own?, weight: 1, check: ${JSON.stringify(check)}, critical: hard_failure }
extract: { refund: "first(tools('refund'))" }
`;

test.each([
  ['conversation', OWN, []],
  ['conversation', BRIEF, [/^form only: says nothing about whether the task was done/]],
  ['conversation', `${OWN}about: rules\n`, [/^rules only/]],
  ['conversation', `${OWN}crash: by_criteria\n`, [/without an answer comes to graceful_failure with score 1\.00/]],
  [
    'conversation',
    `${OWN.replace('check: size(tools(user_input)) < 9', 'judge: {}')}crash: by_criteria\n`,
    [/is unscored: crashes leave its TCR/],
  ],
  [
    'conversation',
    critical('refund.args.amount <= 30.0'),
    [/^'own' is critical .* refund\.args\.amount is absent.*`absent \|\| false`.*refund\.args\.\?amount\.orValue\(…\)/],
  ],
  [
    'conversation',
    critical("tools('refund').all(c, c.args['amount'] <= 30.0 || c.args.total <= 30.0)"),
    [/where c\.args\['amount'\] or c\.args\.total is absent.*c\.args\[\?'amount'\]\.orValue/],
  ],
  ['conversation', critical('refund.args.?amount.orValue(9e9) <= 30.0'), []],
  ['conversation', critical('!has(refund.args.amount) || refund.args.amount <= 30.0'), []],
  [
    'conversation',
    critical('refund.args.amount <= 30.0').replace('hard_failure', 'hard_failure, when_not_applicable: fail'),
    [],
  ],
  ['conversation', critical('refund.args.amount <= 30.0').replace(', critical: hard_failure', ''), []],
  [
    'conversation',
    own("final_answer.contains('BOOKED-')"),
    [/^form only/, /^own: reads only the answer, errors or counts.*about: task/],
  ],
  ['conversation', own("final_answer.contains('BOOKED-')", ', about: task'), []],
  // Through an extract, a result, the state.
  [
    'conversation',
    critical('amount <= 30.0').replace(/ }\n$/, ', amount: refund.args.amount }\n'),
    [/where refund\.args\.amount is absent/],
  ],
  ['conversation', critical('refund.result.paid <= 30.0'), [/where refund\.result\.paid is absent/]],
  ['conversation', critical('state.paid <= 30.0 || state.refused'), [/where state\.paid or state\.refused is absent/]],
  [
    'conversation',
    critical('amount != null && amount <= 30.0').replace(/ }\n$/, ', amount: refund.args.amount }\n'),
    [],
  ],
  [
    'conversation',
    own('1 == 1'),
    [/^form only/, /^own: reads only/, /^'own' has a `check` or `when` that reads nothing/],
  ],
  ['conversation', `${OWN.trimEnd().slice(0, -1)}, when: "false" }\n`, [/^'own' .* reads nothing/]],
  [
    'conversation',
    `${OWN}outcomes: [{ outcome: handed_over, when: ending == 'handed_over' }, { outcome: successful_completion, when: completed && score >= 0.75 }]\n`,
    [/handed over comes to handed_over even where every criterion passes: put the rule for a success before/],
  ],
  [
    'conversation',
    `${OWN}outcomes: [{ outcome: successful_completion, when: completed && score >= 0.75 }, { outcome: handed_over, when: ending == 'handed_over' }]\n`,
    [],
  ],
  [
    'conversation',
    `${MAY_FAIL}outcomes: [{ outcome: successful_completion, when: score >= 0.0 }, { outcome: hard_failure }]\n`,
    [
      /fails every criterion comes to successful_completion with score 0\.00/,
      /^own: a conversation that fails it may be/,
    ],
  ],
  // Otherwise its failure bars a success, whatever the rule.
  [
    'conversation',
    `${OWN}outcomes: [{ outcome: successful_completion, when: score >= 0.0 }, { outcome: hard_failure }]\n`,
    [],
  ],
  [
    'conversation',
    `${OWN}outcomes: [{ outcome: successful_completion, when: score >= 0.5 }, { outcome: hard_failure }]\n`,
    [],
  ],
  // Turns are left to the criteria.
  ['turn', OWN, [/without an answer comes to graceful_failure with score 1\.00/]],
  ['turn', OWN.replace('check: size(tools(user_input)) < 9', 'uses: answered, critical: hard_failure'), [/^form only/]],
])('a suite of scope %s with %s', async (scope, rest, says) => {
  const remarks = await suiteRemarks([suiteOf(HEAD.replace('SCOPE', scope) + rest)]);

  expect(remarks.map((remark) => remark.suite)).toEqual(says.map(() => 's'));
  for (const [index, text] of says.entries()) expect(remarks[index]?.says).toMatch(text);
});
