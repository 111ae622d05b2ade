/** The parts of one conversation, from answers of the API: what is missing, failed, hostile or long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Chat } from '../../src/page/conversation/chat.tsx';
import { ConversationHead } from '../../src/page/conversation/conversation-head.tsx';
import {
  evidenceOf,
  failuresInOrder,
  type Look,
  lookAt,
  NO_EVIDENCE,
  verdictKey,
} from '../../src/page/conversation/evidence.ts';
import { History } from '../../src/page/conversation/history.tsx';
import { StepDetail } from '../../src/page/conversation/step-detail.tsx';
import { subAgentOf } from '../../src/page/conversation/sub-agent.ts';
import { DoneStep } from '../../src/page/conversation/done-step.tsx';
import { doneRows } from '../../src/page/conversation/done-rows.ts';
import { countedFine } from '../../src/page/conversation/suite-verdicts.ts';
import { OpenTrace } from '../../src/page/conversation/trace-links.tsx';
import { Verdicts } from '../../src/page/conversation/verdicts.tsx';
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

const chat = (changes: Partial<ConversationDetail>, evaluations: readonly FullEvaluation[] = [], look?: Look) => (
  <Chat
    conversation={conversation(changes)}
    evidence={evidenceOf(evaluations)}
    lit={undefined}
    look={look}
    onEvidence={nothing}
  />
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

test('a conversation of hundreds of turns is shown from its beginning, and the turn that was asked for with it', () => {
  const turns = Array.from({ length: 300 }, (_, index) => turn({ turn_id: `t-${index}`, asked: `question ${index}.` }));
  const first = chat({ turn_list: turns });
  const late = chat({ turn_list: turns }, [], { turn: 't-250' });

  expect(countOf(first, /class="turn"/)).toBe(20);
  expect(wordsOf(first)).toMatch(
    /^Turn 1 ?User .*question 0\..*question 19\..*Show turns 21 to 40 ?280 are not shown here$/,
  );
  expect(countOf(late, /class="turn( lit)?"/)).toBe(40);
  expect(wordsOf(late)).toMatch(/question 19\..*Show turns 21 to 40 ?220 are.*question 240\..*Show turns 261 to 280/);
});

test('a verdict that failed stands once under the turn whose spans show it; one that passed does not', () => {
  const of = (criterion: string, kind: 'pass' | 'fail') =>
    verdict(criterion, { verdict: kind, evidence: ['span', 'span-2'] });
  const steps = [step(), step({ step_id: 's-2', span_id: 'span-2' })];
  const shown = chat({ turn_list: [turn({ steps })] }, [
    evaluation({ verdicts: [of('in_time', 'fail'), of('kind', 'pass')] }),
  ]);

  expect(countOf(shown, /in_time/)).toBe(1);
  // The step is open, and names the verdict that passed among what rests on it.
  expect(wordsOf(shown)).toContain('Rests on it: ✓passkind');
});

test('a turn that the chosen verdict rests on is lit', () => {
  const shown = (lit: readonly string[]) => (
    <Chat
      conversation={conversation({ turn_list: [turn({ steps: [step()] })] })}
      evidence={NO_EVIDENCE}
      lit={lit}
      look={undefined}
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

test('verdicts that failed stand first, critical ones before heavy ones; those that are fine take one line', () => {
  const one = evaluation({
    verdicts: [
      verdict('polite', { weight: 0.1 }),
      verdict('short', { verdict: 'not_applicable' }),
      verdict('late', { verdict: 'skipped', weight: 0.1 }),
      verdict('small', { verdict: 'fail', weight: 0.2 }),
      verdict('large', { verdict: 'fail', weight: 0.6 }),
      verdict('grave', { verdict: 'fail', weight: 0.1, critical: true }),
    ],
  });
  const words = wordsOf(verdicts([one]));

  expect(words).toMatch(
    /grave.*critical.*10 %.*large.*60 %.*small.*20 %.*late.*1 passed, 1 not applicable.*polite.*short/,
  );
  expect(countedFine([])).toBe('');
});

test('a criterion that was asked in many turns is one row, with each turn in which it failed and why', () => {
  const of = (turn_id: string, kind: 'pass' | 'fail', changes: Partial<FullEvaluation> = {}) =>
    evaluation({
      turn_id,
      about: 'form',
      outcome: kind === 'fail' ? 'graceful_failure' : 'no_fault_found',
      verdicts: [
        verdict('polite', { verdict: kind, reason: `${kind} in ${turn_id}` }),
        verdict('answered', { reason: `answered in ${turn_id}` }),
      ],
      ...changes,
    });
  const turns = ['t-1', 't-2', 't-3', 't-4'].map((turn_id) => turn({ turn_id }));
  const evaluations = [
    of('t-1', 'pass'),
    of('t-2', 'fail'),
    of('t-3', 'pass'),
    of('t-4', 'fail', { explanation: 'Rude.' }),
  ];
  const shown = (
    <Verdicts evaluations={evaluations} all={evaluations} turns={turns} chosen={undefined} onVerdict={nothing} />
  );

  expect(wordsOf(shown)).toMatch(/4 turns:.*graceful failure 2.*no fault found 2/);
  expect(wordsOf(shown)).toMatch(/polite.*Turn 2 ?fail in t-2 Turn 4 ?fail in t-4 In other turns: 2 passed\./);
  expect(countOf(shown, /form only/)).toBe(1);
  expect(countOf(shown, /class="evaluation"/)).toBe(1);
  // Fine in every turn: how often, and no reason for each.
  expect(wordsOf(shown)).toMatch(/answered.*4 passed/);
  expect(wordsOf(shown)).not.toContain('answered in t-1');
});

test('a link to a verdict, a step or a turn says which turn and step have to be in sight', () => {
  const turns = [turn(), turn({ turn_id: 't-2', steps: [step({ step_id: 's-2', span_id: 'span-2' })] })];
  const whole = conversation({ turn_list: turns });
  const bySpan = evaluation({ verdicts: [verdict('kind', { verdict: 'fail', evidence: ['span-2'] })] });
  const byTurn = evaluation({ suite: 'words', turn_id: 't-1', verdicts: [verdict('brief', { verdict: 'fail' })] });
  const links = evidenceOf([bySpan, byTurn]);
  const at = (asked: Partial<Parameters<typeof lookAt>[1]>) =>
    lookAt(whole, { verdict: undefined, step: undefined, turn: undefined, ...asked }, links);

  expect(at({ verdict: 'calls:kind' })).toEqual({ turn: 't-2', step: 's-2' });
  expect(at({ verdict: 'words:brief:t-1' })).toEqual({ turn: 't-1' });
  expect(at({ step: 's-2', verdict: 'words:brief:t-1' })).toEqual({ turn: 't-2', step: 's-2' });
  expect(at({ turn: 't-2' })).toEqual({ turn: 't-2' });
  expect(at({ turn: 'gone', verdict: 'calls:other' })).toBeUndefined();
  expect(failuresInOrder(whole, links)).toEqual(['words:brief:t-1', 'calls:kind']);
});

test('limits of an evaluation stand below its sentence: what it is about, what was not decided, what it waits for', () => {
  const words = wordsOf(verdicts([evaluation({ about: 'form', decided_share: 0.75, waits_for: ['kind', 'true'] })]));

  expect(words).toMatch(/^form only: .*25 % of the weight could not be decided\. Waits for a judge: kind, true\.$/);
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

const row = (changes: Partial<TranscriptStepJson> = {}, by?: string) => ({
  ...{ step: step(changes), depth: 1, from: 0, length: 1, durationMs: 1_500 },
  ...{ by, indent: 0 },
});

const line = (of: ReturnType<typeof row>, evidence: Parameters<typeof DoneStep>[0]['evidence'] = []) => (
  <DoneStep
    conversation="c-1"
    row={of}
    evidence={evidence}
    isLit
    isChosen={false}
    isOpen={false}
    onToggle={nothing}
    onEvidence={nothing}
  />
);

test('a step is a line that can be read aloud: kind, name, failure, what went in and came out, time and verdict', () => {
  const shown = line(row({ status: 'error', error: '_OTHER: late', arguments: { q: 'x' } }), [
    { key: 'a', criterion: 'kind', verdict: 'pass', isFirst: true },
    { key: 'b', criterion: 'in_time', verdict: 'fail', isFirst: true },
  ]);

  expect(wordsOf(shown)).toBe('toolsearchfailed{"q":"x"} → late1.5 s ✕failin_time');
  expect(markupOf(shown)).toMatch(/class="done-step failed lit".*aria-expanded="false"/);
});

test('between question and answer stand calls, hand-overs and thoughts; all spans come when somebody asks', () => {
  const counts = { steps: 1, model_calls: 1, tool_calls: 0, errors: 0 };
  const whole = conversation({ agent: 'greeter', sub_agents: [{ name: 'billing', ...counts }] });
  const steps = [
    step({ step_id: 'root', kind: 'agent', name: 'greeter', agent: 'greeter' }),
    step({ step_id: 'plan', parent: 'root', kind: 'llm', name: 'm', agent: 'greeter', output: '' }),
    step({ step_id: 'thought', parent: 'root', kind: 'llm', name: 'm', agent: 'greeter', thinking: 'first look' }),
    step({ step_id: 'over', parent: 'root', kind: 'agent', name: 'billing', agent: 'billing' }),
    step({ step_id: 'call', parent: 'over', name: 'pay', agent: 'billing' }),
    step({ step_id: 'says', parent: 'over', kind: 'llm', name: 'm', agent: 'billing', output: 'paid' }),
    step({ step_id: 'last', parent: 'root', kind: 'llm', name: 'm', agent: 'greeter', output: 'At nine.' }),
  ].map((one, index) => ({ ...one, began_at: new Date(Date.parse(AT) + index * 1_000).toISOString() }));
  const shown = (isAll: boolean, chosen?: string) =>
    doneRows(turn({ steps }), whole, { isAll, chosen }).rows.map(({ step: one, indent }) => [one.step_id, indent]);

  expect(shown(false)).toEqual([
    ['thought', 0],
    ['over', 0],
    ['call', 1],
    ['says', 1],
  ]);
  expect(shown(false, 'plan').at(0)).toEqual(['plan', 0]);
  expect(shown(true)).toHaveLength(steps.length);
  expect(doneRows(turn({ steps }), whole, { isAll: false, chosen: undefined }).others).toBe(3);
});

test.each([
  ['another agent than the conversation’s', 'billing', ['billing'], 'billing'],
  ['the conversation’s own agent', 'greeter', ['billing'], undefined],
  ['a service that stands for a nameless agent, where there are no sub-agents', 'my-service', [], undefined],
])('a step names its sub-agent where it was done by %s', (_, agent, names, shown) => {
  const counts = { steps: 1, model_calls: 1, tool_calls: 0, errors: 0 };
  const whole = conversation({ sub_agents: names.map((name) => ({ name, ...counts })) });

  const subAgent = subAgentOf(step({ agent }), whole);

  expect(subAgent).toBe(shown);
  expect(wordsOf(line(row({ agent }, subAgent))).includes('by billing')).toBe(shown !== undefined);
});

test('the details of a step have its texts as they came, and say where there is none', () => {
  const detail = (changes: Partial<TranscriptStepJson>) => (
    <StepDetail conversation="c-1" row={row(changes)} evidence={[]} onEvidence={nothing} />
  );
  const full = detail({ arguments: { q: '<b>' }, result: 'plain', input: '[1]', error: 'late', model: 'm' });

  expect(wordsOf(full)).toMatch(/1\.5 s, m .*Error late.*Arguments q <b>.*Result plain.*Input 0 1/);
  // JSON is a tree, also where the field is words.
  expect(countOf(full, /class="json-tree payload"/)).toBe(2);
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
