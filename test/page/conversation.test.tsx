/** The parts of one conversation, from answers of the API: what is missing, failed, hostile or long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Chat } from '../../src/page/conversation/chat.tsx';
import { ConversationHead } from '../../src/page/conversation/conversation-head.tsx';
import { evidenceOf, verdictKey } from '../../src/page/conversation/evidence.ts';
import { History } from '../../src/page/conversation/history.tsx';
import { StepDetail } from '../../src/page/conversation/step-detail.tsx';
import { subAgentOf } from '../../src/page/conversation/sub-agent.ts';
import { StepLine } from '../../src/page/conversation/step-line.tsx';
import { OpenTrace } from '../../src/page/conversation/trace-links.tsx';
import { countedFine, Verdicts } from '../../src/page/conversation/verdicts.tsx';
import { WhatIsKnown } from '../../src/page/conversation/what-is-known.tsx';
import type { ConversationDetail, FullEvaluation, TranscriptStepJson } from '../../src/api/conversation-detail.ts';
import { conversation, countOf, evaluation, markupOf, turn, verdict, wordsOf } from './shown.tsx';

beforeEach(() => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4319', href: 'http://127.0.0.1:4319/conversations/c-1' });
  vi.stubGlobal('sessionStorage', { getItem: () => null });
});
afterEach(() => vi.unstubAllGlobals());

const nothing = () => undefined;
const AT = '2026-11-27T10:00:00.000Z';

function step(changes: Partial<TranscriptStepJson> = {}): TranscriptStepJson {
  const base = { step_id: 's-1', span_id: 'span', trace_id: 'trace', kind: 'tool', name: 'search' } as const;
  return { ...base, began_at: AT, ended_at: '2026-11-27T10:00:01.500Z', status: 'ok', ...changes };
}

const chat = (changes: Partial<ConversationDetail>, evaluations: readonly FullEvaluation[] = []) => (
  <Chat conversation={conversation(changes)} evidence={evidenceOf(evaluations)} lit={undefined} onEvidence={nothing} />
);

test('what was not captured, not stored or failed is said in words', () => {
  const failed = turn({ asked: '', answered: '', error: '500: 500 The server failed' });

  expect(wordsOf(chat({ turn_list: [failed] }))).toMatch(
    /The question was not captured\. Agent The agent gave no answer\. Failed: 500 The server failed$/,
  );
  expect(wordsOf(chat({ turn_list: [turn({ answered: '' })] }))).toContain('gave no answer, or it was not captured.');
  expect(wordsOf(chat({ turn_list: [] }))).toBe('Nothing of what was said is stored.');
  expect(wordsOf(chat({ turn_list: [], content: 'damaged' }))).toBe('The content of this conversation is damaged.');
});

test('words of user and agent are text, never markup', () => {
  const hostile = turn({ asked: '<script>alert(1)</script>', answered: '"><img src=x>' });

  expect(countOf(chat({ turn_list: [hostile] }), /<(script|img)/)).toBe(0);
  expect(wordsOf(chat({ turn_list: [hostile] }))).toContain('<script>alert(1)</script>');
});

test('a conversation of hundreds of turns is shown from its end', () => {
  const turns = Array.from({ length: 300 }, (_, index) => turn({ turn_id: `t-${index}`, asked: `question ${index}` }));

  expect(countOf(chat({ turn_list: turns }), /class="turn"/)).toBe(20);
  expect(wordsOf(chat({ turn_list: turns }))).toMatch(/^Show earlier turns \(280\) User .*question 280 .*question 299/);
});

test('a verdict that failed stands once under the turn whose spans show it; one that passed does not', () => {
  const of = (criterion: string, kind: 'pass' | 'fail') =>
    verdict(criterion, { verdict: kind, evidence: ['span', 'span-2'] });
  const steps = [step(), step({ step_id: 's-2', span_id: 'span-2' })];
  const shown = chat({ turn_list: [turn({ steps })] }, [
    evaluation({ verdicts: [of('in_time', 'fail'), of('kind', 'pass')] }),
  ]);

  expect(countOf(shown, /in_time/)).toBe(1);
  expect(wordsOf(shown)).not.toContain('kind');
});

test('a turn that the chosen verdict rests on is lit', () => {
  const shown = (lit: readonly string[]) => (
    <Chat
      conversation={conversation({ turn_list: [turn({ steps: [step()] })] })}
      evidence={evidenceOf([])}
      lit={lit}
      onEvidence={nothing}
    />
  );

  expect(markupOf(shown(['span']))).toContain('class="turn lit"');
  expect(markupOf(shown(['other']))).not.toContain('lit');
});

const verdicts = (evaluations: readonly FullEvaluation[], chosen?: string) => (
  <Verdicts
    evaluations={evaluations}
    all={evaluations}
    turns={[turn(), turn({ turn_id: 't-2' })]}
    chosen={chosen}
    onVerdict={nothing}
  />
);

test('verdicts that failed stand first, by weight; those that are fine take one line', () => {
  const one = evaluation({
    verdicts: [
      verdict('polite', { weight: 0.1 }),
      verdict('short', { verdict: 'not_applicable' }),
      verdict('late', { verdict: 'skipped', weight: 0.1 }),
      verdict('small', { verdict: 'fail', weight: 0.2 }),
      verdict('large', { verdict: 'fail', weight: 0.6, critical: true }),
    ],
  });
  const words = wordsOf(verdicts([one]));

  expect(words).toMatch(/large.*critical.*60 %.*small.*20 %.*late.*1 passed, 1 not applicable.*polite.*short/);
  expect(countedFine([])).toBe('');
});

test('limits of an evaluation stand below its sentence: what it is about, what was not decided, what it waits for', () => {
  const words = wordsOf(verdicts([evaluation({ about: 'form', decided_share: 0.75, waits_for: ['kind', 'true'] })]));

  expect(words).toMatch(/25 % of the weight could not be decided\. Waits for a judge: kind, true\.$/);
  expect(wordsOf(verdicts([evaluation({ decided_share: 1, waits_for: [] })]))).not.toMatch(/decided|Waits/);
  expect(wordsOf(verdicts([]))).toBe('No suite has scored it.');
});

test('a sentence loses the criteria that stand below it, and has the words of the page for outcomes', () => {
  const explanation = 'Ended as partial_failure; failed: large, small';

  expect(wordsOf(verdicts([evaluation({ explanation })]))).toContain('Ended as partial failure.');
});

test('a verdict that no span shows cannot be chosen; one that a link chose is open among those that are fine', () => {
  const fine = evaluation({ verdicts: [verdict('kind', { evidence: ['span'] }), verdict('short')] });
  const [kind] = fine.verdicts;
  const key = kind === undefined ? '' : verdictKey(fine, kind);

  expect(key).toBe('calls:kind');
  expect(markupOf(verdicts([fine], key))).toMatch(/<details open/);
  expect(markupOf(verdicts([fine]))).not.toMatch(/<details open/);
  expect(markupOf(verdicts([fine]))).toMatch(/disabled[^>]*title="No span shows it"/);
});

test('of many evaluations the one that a link chose is among the first', () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    evaluation({ suite: `suite-${index}`, verdicts: [verdict('kind')] }),
  );

  expect(countOf(verdicts(many), /class="evaluation"/)).toBe(10);
  expect(wordsOf(verdicts(many))).not.toContain('suite-29');
  expect(wordsOf(verdicts(many, 'suite-29:kind'))).toMatch(/^suite-29/);
});

test('a suite in shadow is one line beside the live one, with the criteria that differ', () => {
  const live = evaluation({ verdicts: [verdict('a'), verdict('b'), verdict('old')] });
  const shadow = evaluation({
    shadow: true,
    suite_version: '2',
    score: null,
    verdicts: [verdict('a'), verdict('b', { verdict: 'fail' }), verdict('new')],
  });
  const shown = (
    <Verdicts evaluations={[live]} all={[live, shadow]} turns={[turn()]} chosen={undefined} onVerdict={nothing} />
  );

  expect(wordsOf(shown)).toMatch(
    /In shadow, version 2: partial failure no score\. b ✓pass → ✕fail; old is not asked; new is new ✓pass; 1 the same\.$/,
  );
});

test('earlier revisions are counted with those that are older than the list goes; a lone shadow stands by itself', () => {
  const earlier = evaluation({ latest: false, revision: 1 });
  const alone = evaluation({ shadow: true, suite: 'next' });
  const words = wordsOf(<History evaluations={[evaluation({ revision: 2 }), earlier, alone]} leftOut={4} />);

  expect(words).toMatch(
    /^In shadow next version 1.*Earlier revisions \(5\).*4 evaluations are older than this list goes\.$/,
  );
  expect(markupOf(<History evaluations={[evaluation()]} leftOut={0} />)).toBe('');
});

test('what people and users said has its mark, its author and its note, as text', () => {
  const known = conversation({
    truth: { participants: ['ana'] },
    labels: [
      { label_id: 'l', suite: 'calls', criterion: 'kind', label: 'fail', by: '<i>ana</i>', at: AT, note: '<b>no</b>' },
    ],
    feedback_list: [
      {
        id: 'f',
        name: 'thumbs',
        polarity: 'negative',
        label: 'down',
        comment: 'rude',
        at: AT,
        way: 'span',
        counts: false,
      },
    ],
  });
  const words = wordsOf(<WhatIsKnown conversation={known} />);

  expect(words).toMatch(/What users said ✕fail ?negative thumbs: down, .*, replaced by a later one: rude/);
  expect(words).toMatch(/What people said ✕fail ?kind by <i>ana<\/i>, .*: <b>no<\/b>/);
  expect(words).toMatch(/What was right \(truth\).*"participants"/);
  expect(markupOf(<WhatIsKnown conversation={conversation()} />)).toBe('');
});

const head = (changes: Partial<ConversationDetail>, row?: { at: number; of: number; hasMore: boolean }) => (
  <ConversationHead
    id="c-1"
    query={new URLSearchParams()}
    conversation={conversation(changes)}
    row={row}
    onClose={nothing}
    onStep={nothing}
  />
);

test('the head has no figure that is not known, and no amount without its source', () => {
  const words = wordsOf(head({}));
  const costly = { usd: 0.004, source: 'partly', models_without_price: ['', 'm', 'n', 'o'] } as const;

  expect(words).toContain('unscored');
  expect(words).not.toMatch(/\$|token|undefined|NaN/);
  expect(wordsOf(head({ cost: costly }))).toContain('$0.004 (partly: no price for a call without a model, m, n …)');
  expect(wordsOf(head({ cost: { source: 'not known', models_without_price: ['m'] } }))).toContain(
    'cost not known: no price for m',
  );
});

test('what came of it in the world is in the head, in words, as text', () => {
  const outcomes = [
    { name: 'booked', good: false, value: '<b>cancelled</b>' },
    { name: 'csat', good: true },
  ];

  expect(wordsOf(head({ outcomes }))).toMatch(/Came out ✕bad: booked <b>cancelled<\/b> ✓good: csat/);
  expect(wordsOf(head({}))).not.toContain('Came out');
});

test('the place in the list says whether there is more, and its ends go no further', () => {
  expect(wordsOf(head({}, { at: 0, of: 1_200, hasMore: true }))).toContain('1 of 1,200+');
  expect(markupOf(head({}, { at: 0, of: 2, hasMore: false }))).toMatch(/disabled[^>]*title="Previous \(k\)"/);
  expect(markupOf(head({}, { at: 1, of: 2, hasMore: false }))).toMatch(/disabled[^>]*title="Next \(j\)"/);
  expect(wordsOf(head({}))).not.toContain('Previous');
});

test('links that send no token are left out where a token is needed', () => {
  expect(wordsOf(head({}))).toContain('JSON');
  vi.stubGlobal('sessionStorage', { getItem: () => 'token' });
  expect(wordsOf(head({}))).not.toMatch(/JSON|Golden trace/);
});

const row = (changes: Partial<TranscriptStepJson> = {}) =>
  ({ is: 'step', key: 's-1', step: step(changes), depth: 1, from: 0, length: 1, durationMs: 1_500 }) as const;

test('a step is a line that can be read aloud: kind, name, failure, the verdict that rests on it, and its time', () => {
  const evidence = [
    { key: 'a', criterion: 'kind', verdict: 'pass' },
    { key: 'b', criterion: 'in_time', verdict: 'fail' },
  ] as const;
  const line = (
    <StepLine
      subAgent={undefined}
      row={row({ kind: 'llm', status: 'error', tokens: { input: 1_000, output: 234 } })}
      evidence={evidence}
      isLit
      isChosen={false}
      onChoose={nothing}
    />
  );

  expect(wordsOf(line)).toBe('modelsearchfailed✕fail1.5 s1,234 tok');
  expect(markupOf(line)).toMatch(/class="step-line lit {2}failed" aria-pressed="false"/);
});

test.each([
  ['another agent than the conversation’s', 'billing', ['billing'], 'billing'],
  ['the conversation’s own agent', 'greeter', ['billing'], undefined],
  ['a service that stands for a nameless agent, where there are no sub-agents', 'my-service', [], undefined],
])('a step names its sub-agent where it was done by %s', (_, agent, names, shown) => {
  const counts = { steps: 1, model_calls: 1, tool_calls: 0, errors: 0 };
  const whole = conversation({ sub_agents: names.map((name) => ({ name, ...counts })) });

  const subAgent = subAgentOf(step({ agent }), whole);
  const line = (
    <StepLine row={row()} evidence={[]} subAgent={subAgent} isLit={false} isChosen={false} onChoose={nothing} />
  );

  expect(subAgent).toBe(shown);
  expect(wordsOf(line).includes('by billing')).toBe(shown !== undefined);
});

test('the details of a step have its texts as they came, and say where there is none', () => {
  const detail = (changes: Partial<TranscriptStepJson>) => (
    <StepDetail
      conversation="c-1"
      subAgent={undefined}
      row={row(changes)}
      evidence={[]}
      traceUrl={undefined}
      onEvidence={nothing}
      onClose={nothing}
    />
  );
  const full = detail({ arguments: { q: '<b>' }, result: 'plain', input: '[1]', error: 'late', model: 'm' });

  expect(wordsOf(full)).toMatch(/1\.5 s, m .*Error late.*Arguments \{ "q": "<b>" \}.*Result plain.*Input \[1\]/);
  // JSON is shown as it is indented, also where the field is words.
  expect(countOf(full, /<pre/)).toBe(3);
  expect(wordsOf(detail({}))).toContain('Its content was not captured.');
});

test('a link to a trace is there only with a template, and its values cannot change where it leads', () => {
  const place = { trace_id: 'a/../b', span_id: 's', start_ms: 0, end_ms: 1, conversation_id: 'c' };

  expect(markupOf(<OpenTrace template={undefined} of="turn" place={place} />)).toBe('');
  expect(markupOf(<OpenTrace template="https://t.example/{trace_id}" of="step" place={place} />)).toMatch(
    /href="https:\/\/t\.example\/a%2F..%2Fb" target="_blank" rel="noreferrer" title="Open this trace/,
  );
  expect(wordsOf(<OpenTrace template="https://t.example/{span_id}" of="step" place={place} />)).toContain('open span');
});
