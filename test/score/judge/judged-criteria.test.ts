import { expect, test } from 'vitest';
import type { JudgeOutcome } from '../../../src/model/judging.ts';
import { aConversation, aStep, aToolCall, aTurn, content, MISSING, ROOT_SPAN, spanId } from '../conversations.ts';
import { answered, evaluated, judgeVersionIn, judgesWho, requestFor, suiteOf } from './judging-suite.ts';

const POLITE = '- { name: polite, question: Is it polite?, weight: 1, judge: {} }';
const polite = suiteOf(POLITE);

function verdictOf(outcome: JudgeOutcome | 'waiting', conversation = aConversation(), settings = {}) {
  const { verdicts } = evaluated(
    polite,
    conversation,
    judgesWho(() => outcome, settings),
  );
  return verdicts.get('polite');
}

test('a criterion that waits for its judge is skipped in the meantime, and the evaluation says what to ask', () => {
  const evaluation = evaluated(polite, aConversation(), judgesWho());

  expect(evaluation.verdicts.get('polite')).toEqual({
    verdict: 'skipped',
    reason: 'Waits for the judge.',
  });
  expect(evaluation.outcome).toBe('unscored');
  expect(evaluation.explanation).toContain('skipped: polite (Waits for the judge)');
  expect(evaluation.waiting).toMatchObject([
    { judge: 'default', suite: 'judged', suiteVersion: '1', criteria: [{ name: 'polite', question: 'Is it polite?' }] },
  ]);
});

test('what code can check counts at once', () => {
  const suite = suiteOf(`${POLITE}\n- { name: ok, question: Is it ok?, weight: 1, check: turn.ok }`);

  const evaluation = evaluated(suite, aConversation(), judgesWho());

  expect(evaluation.score).toBe(1_000_000);
  expect(evaluation.explanation).toContain('skipped: polite (Waits for the judge)');
  expect([...evaluation.verdicts.keys()]).toEqual(['polite', 'ok']);
});

test('the judge says yes: a pass, for its reason; no: a fail, which leads to the step that it quotes', () => {
  const conversation = aConversation([
    aTurn({ toolCalls: [aToolCall('find', { spanId: spanId(7), result: content('It was sold out.') })] }),
  ]);

  const quotes = ['It was sold out.'];
  const judgedBy = { judge: 'default', version: expect.stringMatching(/^[0-9a-f]{12}$/), model: 'a-model' };
  expect(verdictOf(answered({ criterion: 'polite', reason: 'It says please.' }), conversation)).toEqual({
    verdict: 'pass',
    reason: 'It says please.',
    evidence: [],
    judgedBy,
  });
  expect(
    verdictOf(answered({ criterion: 'polite', pass: false, reason: 'It is curt.', quotes }), conversation),
  ).toEqual({
    verdict: 'fail',
    reason: 'It is curt.',
    evidence: [spanId(7)],
    judgedBy,
  });
  expect(verdictOf(answered({ criterion: 'polite', pass: false, reason: 'It is curt.' }))).toMatchObject({
    evidence: [ROOT_SPAN],
  });
});

test('votes that disagreed are said after the reason, however long it is', () => {
  const verdict = verdictOf(answered({ criterion: 'polite', reason: 'x'.repeat(900), votes: { yes: 2, of: 3 } }));

  expect(verdict?.reason).toHaveLength(300);
  expect(verdict?.reason.endsWith('… (2 of 3 votes.)')).toBe(true);
});

test('votes against count for a no', () => {
  const outcome = answered({ criterion: 'polite', pass: false, reason: 'No.', votes: { yes: 1, of: 3 } });

  expect(verdictOf(outcome)?.reason).toBe('No. (2 of 3 votes.)');
});

test.each<[string, JudgeOutcome, { verdict: string; reason: string }]>([
  [
    'failed',
    { is: 'failed', failure: 'timeout', reason: 'It took more than 60 s.' },
    { verdict: 'error', reason: 'The judge gave no answer: It took more than 60 s.' },
  ],
  [
    'left out',
    { is: 'left-out', because: 'over-budget', reason: 'The budget of this hour is spent.' },
    { verdict: 'skipped', reason: 'The budget of this hour is spent.' },
  ],
  [
    'about another question',
    answered({ criterion: 'helpful' }),
    { verdict: 'error', reason: 'What the judge answered is about other questions.' },
  ],
])('an outcome that is %s is no verdict on the agent', (_what, outcome, expected) => {
  expect(verdictOf(outcome)).toMatchObject(expected);
});

test.each([
  ['over-budget', 'error', 'unscored'],
  ['too-late', 'error', 'unscored'],
  ['sampled-out', 'skipped', 'no_fault_found'],
  ['not-configured', 'skipped', 'no_fault_found'],
] as const)(
  'a critical question that was left out (%s) is %s, and the conversation %s',
  (because, verdict, outcome) => {
    const suite = suiteOf(`
- { name: answered, question: Did it answer?, weight: 0.8, uses: answered }
- { name: polite, question: Is it polite?, weight: 0.2, critical: true, judge: {} }`);

    const evaluation = evaluated(
      suite,
      aConversation(),
      judgesWho(() => ({ is: 'left-out', because, reason: 'Not this time.' })),
    );

    expect(evaluation.verdicts.get('polite')).toMatchObject({ verdict, reason: 'Not this time.' });
    expect(evaluation.outcome).toBe(outcome);
  },
);

test('without judges, or without one of that name, it is skipped and nobody is asked', () => {
  const strange = suiteOf('- { name: polite, question: Is it polite?, weight: 1, judge: stranger }');

  expect(evaluated(polite, aConversation()).verdicts.get('polite')).toMatchObject({ verdict: 'skipped' });
  const evaluation = evaluated(strange, aConversation(), judgesWho());
  expect(evaluation.verdicts.get('polite')?.reason).toBe("No judge is configured by the name 'stranger'.");
  expect(evaluation.waiting).toEqual([]);
});

test('needs and when come before the judge', () => {
  const suite = suiteOf(`
- { name: needy, question: Q?, weight: 1, needs: [truth], judge: {} }
- { name: elsewhere, question: Q?, weight: 1, when: "turn.llm_calls > 7", judge: {} }`);

  const evaluation = evaluated(suite, aConversation(), judgesWho());

  expect([...evaluation.verdicts.values()].map(({ verdict }) => verdict)).toEqual(['not_applicable', 'not_applicable']);
  expect(evaluation.waiting).toEqual([]);
});

test('where no content was recorded there is nothing to ask', () => {
  const conversation = aConversation([
    aTurn({
      asked: MISSING,
      answered: content('[REDACTED:email]', 'redacted'),
      toolCalls: [aToolCall('find', { args: MISSING, result: MISSING })],
    }),
  ]);

  const evaluation = evaluated(polite, conversation, judgesWho());

  expect(evaluation.verdicts.get('polite')).toMatchObject({ verdict: 'not_applicable' });
  expect(evaluation.waiting).toEqual([]);
});

test('those that share a call are asked together if their judge is the same and they see the same', () => {
  const suite = suiteOf(`
- { name: a, question: A?, weight: 1, judge: { shared: true, priority: 10 } }
- { name: b, question: B?, weight: 1, judge: {} }
- { name: c, question: C?, weight: 1, judge: { shared: true, priority: 70 } }
- { name: d, question: D?, weight: 1, judge: { shared: true, sees: [truth] } }
- { name: e, question: E?, weight: 1, judge: { shared: true, by: strict } }`);

  const { waiting } = evaluated(suite, aConversation(), judgesWho());

  expect(waiting.map(({ criteria, judge, priority }) => [criteria.map(({ name }) => name), judge, priority])).toEqual([
    [['a', 'c'], 'default', 70],
    [['b'], 'default', 50],
    [['d'], 'default', 50],
    [['e'], 'strict', 50],
  ]);
});

test('each criterion of a shared call has the answer to its own question', () => {
  const suite = suiteOf(`
- { name: a, question: A?, weight: 0.25, judge: { shared: true } }
- { name: b, question: B?, weight: 0.75, judge: { shared: true } }`);

  const evaluation = evaluated(
    suite,
    aConversation(),
    judgesWho(() => answered({ criterion: 'b', pass: false }, { criterion: 'a' })),
  );

  expect([...evaluation.verdicts].map(([name, { verdict }]) => [name, verdict])).toEqual([
    ['a', 'pass'],
    ['b', 'fail'],
  ]);
  expect(evaluation.score).toBe(250_000);
});

test('the sample is of conversations: every criterion, judge and turn of one is in it or none', () => {
  const suite = suiteOf(`
- { name: a, question: A?, weight: 1, judge: {} }
- { name: b, question: B?, weight: 1, judge: strict }`);
  const judges = judgesWho(undefined, { share: 0.25 });

  const counts = Array.from({ length: 2000 }, (_, index) => {
    const conversation = aConversation([aTurn()], { id: `c${index}` as never });
    return evaluated(suite, conversation, judges).waiting.length;
  });

  expect(new Set(counts)).toEqual(new Set([0, 2]));
  const share = counts.filter((count) => count > 0).length / counts.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.3);
});

test('a larger sample holds the smaller one, and what is outside says so', () => {
  const inSample = (share: number) =>
    Array.from({ length: 300 }, (_, index) => index).filter((index) => {
      const conversation = aConversation([aTurn()], { id: `c${index}` as never });
      return evaluated(polite, conversation, judgesWho(undefined, { share })).waiting.length > 0;
    });

  const large = new Set(inSample(0.5));
  expect(inSample(0.1).filter((index) => !large.has(index))).toEqual([]);
  expect(inSample(0)).toEqual([]);
  expect(verdictOf('waiting', aConversation(), { share: 0 })).toMatchObject({
    verdict: 'skipped',
    reason: 'Not among the 0 % of conversations that the judge is shown.',
  });
});

test('a silent agent is no help, whoever judges, but only within the sample', () => {
  const suite = suiteOf('- { name: helpful, question: Does it help?, weight: 1, judge: { uses: helpful } }');
  const silent = aConversation([aTurn({ answered: content(''), steps: [aStep()] })]);

  const judged = evaluated(suite, silent, judgesWho());
  expect(judged.verdicts.get('helpful')).toMatchObject({ verdict: 'fail', reason: 'There was no answer.' });
  expect(judged.waiting).toEqual([]);
  const outside = evaluated(suite, silent, judgesWho(undefined, { share: 0 }));
  expect(outside.verdicts.get('helpful')?.verdict).toBe('skipped');
});

test('one suite in YAML and in TypeScript puts the same question', async () => {
  const { compileSuite } = await import('../../../src/score/suite/compile-suite.ts');
  const { defineSuite } = await import('../../../src/score/define-suite.ts');
  const defined = defineSuite({
    name: 'judged',
    scope: 'conversation',
    normalize: true,
    criteria: [
      {
        name: 'polite',
        question: 'Is it polite?',
        weight: 1,
        judge: { guidance: 'Please is enough.', sees: ['truth', 'tool'] },
      },
      { name: 'helpful', question: 'Is it helpful?', weight: 1, judge: { uses: 'helpful', by: 'strict' } },
      { name: 'kind', question: 'Is it kind?', weight: 1, judge: 'strict' },
    ],
  });
  const origin = { file: 'judged.ts', placeOf: () => ({ line: undefined, column: undefined }) };
  const compiled = compileSuite(defined, origin).suite;
  if (compiled === undefined) throw new Error('the suite has mistakes');
  const written = suiteOf(`
- name: polite
  question: Is it polite?
  weight: 1
  judge: { guidance: "Please is enough.", sees: [tool, truth] }
- { name: helpful, question: Is it helpful?, weight: 1, judge: { uses: helpful, by: strict } }
- { name: kind, question: Is it kind?, weight: 1, judge: strict }`);

  expect(evaluated(compiled, aConversation(), judgesWho())).toEqual(evaluated(written, aConversation(), judgesWho()));
});

test('the same conversation puts the same question, byte for byte, and another one another', () => {
  const request = requestFor(polite, aConversation());

  expect(requestFor(polite, aConversation())).toEqual(request);
  expect(requestFor(polite, aConversation([aTurn({ answered: 'Hm.' })])).key).not.toBe(request.key);
  expect(requestFor(polite, aConversation(), { fingerprint: 'openai/another' }).key).not.toBe(request.key);
  const guided = suiteOf('- { name: polite, question: Is it polite?, weight: 1, judge: { guidance: Be strict. } }');
  expect(requestFor(guided, aConversation()).key).not.toBe(request.key);
});

test('a verdict says which version of the judge gave it: another one for another question, guidance, sight or model, and not for another conversation', () => {
  const versionOf = (criteria: string, settings = {}, conversation = aConversation()) => {
    const judges = judgesWho(
      ({ criteria: asked }) => answered(...asked.map(({ name }) => ({ criterion: name }))),
      settings,
    );
    return judgeVersionIn(evaluated(suiteOf(criteria), conversation, judges).verdicts.get('polite'));
  };
  const other = aConversation([aTurn({ toolCalls: [aToolCall('find', { result: content('Sold out.') })] })]);
  const shared = POLITE.replace('{} }', '{ shared: true } }');

  expect(versionOf(POLITE, {}, other)).toBe(versionOf(POLITE));
  expect(versionOf(`${POLITE}\n- { name: kind, question: Is it kind?, weight: 1, judge: {} }`)).toBe(versionOf(POLITE));
  expect(versionOf(shared)).toBe(versionOf(POLITE));
  const versions = [
    versionOf(POLITE),
    versionOf(POLITE.replace('Is it polite?', 'Is it nice?')),
    versionOf(POLITE.replace('{} }', '{ guidance: Ruder is worse. } }')),
    versionOf(POLITE.replace('{} }', '{ sees: [truth] } }')),
    versionOf(POLITE, { fingerprint: 'openai/another-model' }),
    versionOf(POLITE, { evidenceTokens: 2000 }),
    versionOf(`${shared}\n- { name: kind, question: Is it kind?, weight: 1, judge: { shared: true } }`),
  ];
  expect(new Set(versions).size).toBe(7);
  expect(versions).not.toContain(undefined);
});

test('what needs no judge, and what no judge answered, is of no version', () => {
  expect(verdictOf('waiting')).not.toHaveProperty('judgedBy');
  expect(verdictOf({ is: 'failed', failure: 'timeout', reason: 'It took too long.' })).not.toHaveProperty('judgedBy');
  expect(verdictOf(answered({ criterion: 'another' }))).not.toHaveProperty('judgedBy');
});

test('that a criterion which shares the call does not apply to a conversation makes no other version', () => {
  const suite = suiteOf(`
- { name: polite, question: Is it polite?, weight: 1, judge: { shared: true } }
- { name: right, question: Is it right?, weight: 1, needs: [truth], judge: { shared: true } }`);
  const judges = judgesWho(({ criteria }) => answered(...criteria.map(({ name }) => ({ criterion: name }))));
  const versionIn = (conversation: ReturnType<typeof aConversation>) =>
    judgeVersionIn(evaluated(suite, conversation, judges).verdicts.get('polite'));

  expect(versionIn(aConversation())).toBe(versionIn(aConversation([aTurn()], { truth: 'It is.' })));
  expect(judges.asked.map(({ criteria }) => criteria.length)).toEqual([1, 2]);
});
