/** The agent's instructions as a judge sees them: once, at the beginning, and cut last. */
import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/score/judge/token-estimate.ts';
import { whatChanged } from '../../../src/score/judge/changed-text.ts';
import { randomFrom } from '../../random.ts';
import { aConversation, aStep, aToolCall, aTurn, content, ROOT_SPAN, spanId } from '../conversations.ts';
import { answered, evaluated, itemsIn, judgesWho, requestFor, suiteOf } from './judging-suite.ts';

function asking(judge: string) {
  return suiteOf(`- { name: kept, question: Did it keep to the rules?, weight: 1, judge: { ${judge} } }`);
}

const BY_DEFAULT = asking('guidance: Only written rules count.');
const POLICY = `# Policy\n${Array.from({ length: 40 }, (_, index) => `Rule ${index}: a ticket of class ${index} may be changed once.`).join('\n')}`;

function told(instructions: string | undefined, parts: Partial<Parameters<typeof aStep>[0]> = {}) {
  return aStep({ systemInstructions: instructions, ...parts });
}

function ofAgent(name: string) {
  return { agent: { name, id: undefined, version: undefined } };
}

/** `turn`, and of instructions who had them and what was said of them. */
function outline(conversation: ReturnType<typeof aConversation>, suite = BY_DEFAULT) {
  return itemsIn(requestFor(suite, conversation).material).map(({ item, turn, agent, text, text_is }) =>
    item === 'instructions' ? [item, turn, agent, text ?? text_is] : [item, turn],
  );
}

test('instructions stand once, before the first request, unless they change', () => {
  const turns = ['Be brief.', 'Be brief.', 'Be long.', 'Be long.', 'Be brief.'].map((instructions) =>
    aTurn({ steps: [told(instructions), told(instructions)], toolCalls: [aToolCall('find')] }),
  );

  expect(outline(aConversation(turns))).toEqual([
    ['instructions', 1, 'scheduler', 'Be brief.'],
    ['request', 1],
    ['tool', 1],
    ['answer', 1],
    ['request', 2],
    ['tool', 2],
    ['answer', 2],
    ['instructions', 3, 'scheduler', 'Be long.'],
    ['request', 3],
    ['tool', 3],
    ['answer', 3],
    ['request', 4],
    ['tool', 4],
    ['answer', 4],
    ['instructions', 5, 'scheduler', 'the same as in turn 1'],
    ['request', 5],
    ['tool', 5],
    ['answer', 5],
  ]);
});

test('another agent has its own, where it begins; that both go on in later turns is not said again', () => {
  const steps = [
    told('Plan.', { ...ofAgent('planner'), startedAtMs: 10 }),
    told('Work.', { ...ofAgent('worker'), startedAtMs: 30 }),
    told('Plan.', { ...ofAgent('planner'), startedAtMs: 50 }),
  ];
  const turn = aTurn({ steps, toolCalls: [aToolCall('find', { startedAtMs: 20 })] });

  expect(outline(aConversation([turn, turn]))).toEqual([
    ['instructions', 1, 'planner', 'Plan.'],
    ['request', 1],
    ['tool', 1],
    ['instructions', 1, 'worker', 'Work.'],
    ['answer', 1],
    ['request', 2],
    ['tool', 2],
    ['answer', 2],
  ]);
});

test('of agents without a name, what several of them are told is said once as well', () => {
  const steps = ['Plan.', 'Work.', 'Plan.', 'Work.'].map((text, index) => told(text, { startedAtMs: 10 * index }));
  const turn = aTurn({ steps, agent: { name: undefined, id: undefined, version: undefined } });

  expect(outline(aConversation([turn, turn])).filter(([item]) => item === 'instructions')).toEqual([
    ['instructions', 1, undefined, 'Plan.'],
    ['instructions', 1, undefined, 'Work.'],
  ]);
});

test('those on the span of the turn count, and model calls that nobody sees', () => {
  const root = told('Be brief.', { kind: 'agent', spanId: ROOT_SPAN });

  expect(outline(aConversation([aTurn({ steps: [root, aStep()] })]))[0]).toEqual([
    'instructions',
    1,
    'scheduler',
    'Be brief.',
  ]);
});

test('of a long text with a date in it only the date is shown again', () => {
  const turns = ['10:00', '10:05', '10:09'].map((time) =>
    aTurn({ steps: [told(`${POLICY}\nIt is ${time}.\nNever refund.`)] }),
  );

  const [first, ...others] = outline(aConversation(turns)).filter(([item]) => item === 'instructions');

  expect(first?.at(-1)).toBe(`${POLICY}\nIt is 10:00.\nNever refund.`);
  expect(others.map((one) => one.at(-1))).toEqual(
    ['10:05', '10:09'].map((time) => `[… ${POLICY.length + 1} characters as before …]It is ${time}.\nNever refund.`),
  );
});

test('a text and its difference give the next text, whatever changed', () => {
  const random = randomFrom(20261123);
  let shorter = 0;
  for (let round = 0; round < 300; round += 1) {
    const pieces = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, index) =>
      `Sentence ${index} of some length${random() < 0.5 ? '. ' : '.\n'}`.repeat(1 + Math.floor(random() * 4)),
    );
    const before = pieces.join('');
    const after = pieces
      .flatMap((piece) => (random() < 0.06 ? [] : random() < 0.06 ? [piece, 'New. '] : piece))
      .join('');

    const changed = whatChanged(before, after);
    if (changed === undefined) continue;
    shorter += 1;

    expect(changed.length * 2).toBeLessThanOrEqual(after.length);
    expect(isDifference(changed, { before, after }), `round ${round}`).toBe(true);
  }
  expect(shorter).toBeGreaterThan(50);
});

/** Each gap stands for so many characters of the text before, one gap after the other. */
function isDifference(
  changed: string,
  { before, after }: { readonly before: string; readonly after: string },
): boolean {
  const parts = changed.split(/\[… (\d+) characters (as before|taken out) …\]/);
  let [at, from] = [0, 0];
  for (let index = 0; index < parts.length; index += 3) {
    const shown = parts[index] ?? '';
    if (!after.startsWith(shown, at)) return false;
    at += shown.length;
    const length = Number(parts[index + 1] ?? 0);
    if (length === 0 || parts[index + 2] === 'taken out') continue;
    const found = before.indexOf(after.slice(at, at + length), from);
    if (found < 0) return false;
    from = found + length;
    at += length;
  }
  return at === after.length;
}

test('a rule that was taken out is not passed over', () => {
  const before = `${POLICY}\nNever refund.\n${POLICY}`;

  expect(whatChanged(before, `${POLICY}\n${POLICY}`)).toBe(
    `[… ${POLICY.length + 1} characters as before …][… 14 characters taken out …][… ${POLICY.length} characters as before …]`,
  );
  expect(whatChanged(`${POLICY}\nNever refund.`, `${POLICY}\n`)).toBe(
    `[… ${POLICY.length + 1} characters as before …][… 13 characters taken out …]`,
  );
});

test('where none were recorded the judge is told so, and what redaction left is none', () => {
  expect(outline(aConversation())).toEqual([
    ['instructions', undefined, undefined, 'not recorded'],
    ['request', 1],
    ['answer', 1],
  ]);
});

test.each([
  ['sees: []', []],
  ['sees: [tool]', []],
  ['sees: [llm]', ['instructions']],
  ['sees: [instructions]', ['instructions']],
  ['uses: task_done', ['instructions']],
  ['uses: within_policy', ['instructions']],
  ['uses: grounded_in_context', ['instructions']],
  ['uses: tone', []],
])('with %s a judge sees %j of them', (judge, expected) => {
  const conversation = aConversation([aTurn({ steps: [told('Be brief.')] })]);

  const shown = itemsIn(requestFor(asking(judge), conversation).material).map(({ item }) => item);

  expect(shown.filter((item) => item === 'instructions')).toEqual(expected);
});

test('results and steps go before any of the instructions does, and what is said of them in a verdict is that', () => {
  const toolCalls = Array.from({ length: 120 }, () => aToolCall('find', { result: content('found '.repeat(400)) }));
  const turns = [1, 2, 3].map(() => aTurn({ steps: [told(POLICY)], toolCalls }));

  for (const evidenceTokens of [1500, 2000, 4000, 8000]) {
    const { material, cut } = requestFor(BY_DEFAULT, aConversation(turns), { evidenceTokens });

    expect(estimateTokens(material)).toBeLessThanOrEqual(evidenceTokens);
    expect(itemsIn(material).filter(({ item }) => item === 'instructions')).toEqual([
      { item: 'instructions', turn: 1, agent: 'scheduler', text: POLICY },
    ]);
    expect(cut).toMatch(/^Left out to fit: \d+ of 367 items/);
  }
});

test('instructions that leave no room for the request and the answer lose their middle, and that is said first', () => {
  const conversation = aConversation([
    aTurn({
      asked: `asked ${'word '.repeat(900)}`,
      answered: `answered ${'word '.repeat(900)}`,
      steps: [told(POLICY.repeat(20))],
    }),
  ]);
  const outcome = answered({ criterion: 'kept', reason: 'It did.' });

  const { material } = requestFor(BY_DEFAULT, conversation, { evidenceTokens: 2000 });
  const { verdicts } = evaluated(
    BY_DEFAULT,
    conversation,
    judgesWho(() => outcome, { evidenceTokens: 2000 }),
  );

  const [instructions, request, answer] = itemsIn(material);
  expect(estimateTokens(material)).toBeLessThanOrEqual(2000);
  expect(String(instructions?.text)).toMatch(/^# Policy[\s\S]+characters left out[\s\S]+once\.$/);
  expect(String(instructions?.text).length).toBeGreaterThan(2000);
  for (const { text } of [request, answer].map((item) => item ?? {})) expect(String(text).length).toBeGreaterThan(450);
  expect(verdicts.get('kept')?.reason).toBe(
    "It did. (Left out to fit: a part of the agent's instructions and the middle of 2 long values.)",
  );
});

test('a quote leads to what broke the rule, also where the rule says the same words', () => {
  const rule = 'Never refund more than 30 euros.';
  const toolCalls = [aToolCall('note', { spanId: spanId(9), result: content(rule) })];
  const conversation = aConversation([aTurn({ steps: [told(rule)], toolCalls })]);
  const quoting = (quote: string) =>
    evaluated(
      BY_DEFAULT,
      conversation,
      judgesWho(() => answered({ criterion: 'kept', pass: false, quotes: [quote] })),
    ).verdicts.get('kept');

  expect(quoting(rule)).toMatchObject({ evidence: [spanId(9)] });
  expect(quoting('Never refund more than 30 euros')).toMatchObject({ evidence: [spanId(9)] });
  const alone = aConversation([aTurn({ steps: [told(rule)] })]);
  const outcome = answered({ criterion: 'kept', pass: false, quotes: [rule] });
  expect(
    evaluated(
      BY_DEFAULT,
      alone,
      judgesWho(() => outcome),
    ).verdicts.get('kept'),
  ).toMatchObject({
    evidence: [ROOT_SPAN],
  });
});

test('instructions alone are nothing to judge', () => {
  const nothing = content(undefined);
  const steps = [told('Be brief.', { flags: ['content-missing'] })];
  const evaluation = evaluated(
    BY_DEFAULT,
    aConversation([aTurn({ asked: nothing, answered: nothing, steps })]),
    judgesWho(),
  );

  expect(evaluation.waiting).toEqual([]);
  expect(evaluation.verdicts.get('kept')).toMatchObject({ verdict: 'not_applicable' });
});

test('whether the instructions were kept is asked only where there are some', () => {
  const verdictOf = (instructions: string | undefined) => {
    const conversation = aConversation([aTurn({ steps: [told(instructions)] })]);
    return evaluated(asking('uses: within_policy'), conversation, judgesWho()).verdicts.get('kept');
  };

  expect(verdictOf('Be brief.')).toMatchObject({ verdict: 'skipped', reason: 'Waits for the judge.' });
  expect(verdictOf(undefined)).toMatchObject({
    verdict: 'not_applicable',
    reason: expect.stringContaining("The agent's instructions were not recorded"),
  });
});
