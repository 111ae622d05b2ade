import { expect, test } from 'vitest';
import { type Evaluation, type Verdict, type VerdictKind, VERDICTS } from '../../src/model/evaluation.ts';
import { fromEvaluationJson, toEvaluationJson } from '../../src/model/evaluation-json.ts';
import type { ConversationId, SpanId } from '../../src/model/ids.ts';
import { decodeVerdicts, encodeVerdicts } from '../../src/store/verdict-codec.ts';

const SPAN = '00000000000000aa' as SpanId;

/** A verdict of each kind with all its fields, and its form in the API and the store. */
const KINDS = {
  pass: {
    verdict: { verdict: 'pass', reason: 'It is.', evidence: [SPAN], judgedBy: { judge: 'fast', version: 'v1' } },
    json: `{"verdict":"pass","reason":"It is.","evidence":["${SPAN}"],"judged_by":{"judge":"fast","version":"v1"}}`,
    stored: `["c",0,"It is.",["${SPAN}"],"fast","v1"]`,
  },
  fail: {
    verdict: { verdict: 'fail', reason: 'It is not.', evidence: [SPAN] },
    json: `{"verdict":"fail","reason":"It is not.","evidence":["${SPAN}"]}`,
    stored: `["c",1,"It is not.",["${SPAN}"]]`,
  },
  not_applicable: {
    verdict: { verdict: 'not_applicable', reason: 'It does not arise.' },
    json: '{"verdict":"not_applicable","reason":"It does not arise.","evidence":[]}',
    stored: '["c",2,"It does not arise.",[]]',
  },
  error: {
    verdict: { verdict: 'error', reason: 'It threw.' },
    json: '{"verdict":"error","reason":"It threw.","evidence":[]}',
    stored: '["c",3,"It threw.",[]]',
  },
  skipped: {
    verdict: { verdict: 'skipped', reason: 'Waits for the judge.' },
    json: '{"verdict":"skipped","reason":"Waits for the judge.","evidence":[]}',
    stored: '["c",4,"Waits for the judge.",[]]',
  },
} as const satisfies Record<VerdictKind, { readonly verdict: Verdict; readonly json: string; readonly stored: string }>;

test.each(VERDICTS)('a verdict of kind %s has these bytes in JSON and in stores, and is the same when read', (kind) => {
  const { verdict, json, stored } = KINDS[kind];
  const evaluation = evaluationOf(verdict);

  expect(JSON.stringify(toEvaluationJson(evaluation).verdicts.c)).toBe(json);
  expect(encodeVerdicts(evaluation)).toBe(`[${stored}]`);
  expect(fromEvaluationJson(toEvaluationJson(evaluation))).toEqual(evaluation);
  expect(decodeVerdicts(encodeVerdicts(evaluation)).verdicts).toEqual(evaluation.verdicts);
});

test('why a question has no answer is kept with it', () => {
  const verdict = { verdict: 'not_applicable', reason: 'It is absent.', undecided: 'argument_absent' } as const;
  const evaluation = evaluationOf(verdict);

  expect(encodeVerdicts(evaluation)).toBe('[["c",2,"It is absent.",[],"argument_absent"]]');
  expect(decodeVerdicts(encodeVerdicts(evaluation)).verdicts).toEqual(evaluation.verdicts);
  expect(fromEvaluationJson(toEvaluationJson(evaluation))).toEqual(evaluation);
});

const JUDGED_BY = { judge: 'fast', version: 'v1', model: 'model-2026' };
const STEPS = [
  { step: 1, tool: 'find', score: 1, reason: 'Right.', spanId: SPAN },
  { step: 2, tool: 'book', score: 0, reason: 'It was not made.', spanId: undefined },
  {
    step: 3,
    tool: 'tell',
    score: 0.5,
    reason: 'Too wide.',
    spanId: SPAN,
    otherVotes: [{ score: 1, reason: 'Fine.' }],
  },
] as const;

test.each<[string, Verdict]>([
  ['the model', { verdict: 'pass', reason: 'It is.', evidence: [], judgedBy: JUDGED_BY }],
  ['the grades of steps', { verdict: 'fail', reason: 'No.', evidence: [SPAN], judgedBy: JUDGED_BY, steps: STEPS }],
  [
    'the grades of a model without a name',
    { verdict: 'pass', reason: 'It is.', evidence: [], judgedBy: { judge: 'fast', version: 'v1' }, steps: STEPS },
  ],
])('%s in JSON and in stores are the same when read', (_what, verdict) => {
  const evaluation = evaluationOf(verdict);

  expect(fromEvaluationJson(JSON.parse(JSON.stringify(toEvaluationJson(evaluation))))).toEqual(evaluation);
  expect(decodeVerdicts(encodeVerdicts(evaluation)).verdicts).toEqual(evaluation.verdicts);
});

test('the grades of steps have these names in JSON', () => {
  const verdict: Verdict = { verdict: 'fail', reason: 'No.', evidence: [], judgedBy: JUDGED_BY, steps: STEPS };

  expect(toEvaluationJson(evaluationOf(verdict)).verdicts.c?.steps).toEqual([
    { step: 1, tool: 'find', score: 1, reason: 'Right.', span_id: SPAN },
    { step: 2, tool: 'book', score: 0, reason: 'It was not made.' },
    {
      step: 3,
      tool: 'tell',
      score: 0.5,
      reason: 'Too wide.',
      span_id: SPAN,
      other_votes: [{ score: 1, reason: 'Fine.' }],
    },
  ]);
});

function evaluationOf(verdict: Verdict): Evaluation {
  return {
    conversationId: 'conversation' as ConversationId,
    turnId: undefined,
    suite: 'suite',
    suiteVersion: '1',
    scope: 'conversation',
    revision: 1,
    score: undefined,
    outcome: 'unscored',
    explanation: 'As it is.',
    verdicts: new Map([['c', verdict]]),
  };
}
