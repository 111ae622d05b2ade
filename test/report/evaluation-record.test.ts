import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Evaluation, Verdict } from '../../src/model/evaluation.ts';
import type { ConversationId, SpanId, TurnId } from '../../src/model/ids.ts';
import { evaluationRecord, evaluationRecordSchema } from '../../src/report/results/evaluation-record.ts';

const PUBLISHED = path.resolve(import.meta.dirname, '../../docs/reference/evaluation-record.schema.json');
const LABELS = { agent: 'helper', agentVersion: 'v1', environment: 'prod' };

function evaluation(changes: Partial<Evaluation> = {}): Evaluation {
  return {
    conversationId: 'c1' as ConversationId,
    turnId: undefined,
    suite: 'pack',
    suiteVersion: '1',
    scope: 'conversation',
    revision: 1,
    score: 750_000,
    outcome: 'successful_completion',
    explanation: 'It went well.',
    verdicts: new Map<string, Verdict>([
      ['__proto__', { verdict: 'fail', reason: 'See there.', evidence: ['00000000000000aa' as SpanId] }],
    ]),
    ...changes,
  };
}

function read(bytes: Buffer): z.infer<typeof evaluationRecordSchema> {
  return evaluationRecordSchema.parse(JSON.parse(bytes.toString()));
}

test('a record meets the schema, whatever the evaluation', () => {
  expect(read(evaluationRecord(evaluation(), LABELS))).toMatchObject({
    score: 0.75,
    agent: 'helper',
    agent_version: 'v1',
  });
  const turn = evaluation({ turnId: 't' as TurnId, scope: 'turn', score: undefined, outcome: 'unscored' });
  expect(read(evaluationRecord(turn, LABELS))).toMatchObject({ turn_id: 't', score: null, environment: 'prod' });
  expect(read(evaluationRecord(turn, { ...LABELS, segment: 'gold' })).segment).toBe('gold');
  expect(read(evaluationRecord(turn, LABELS))).not.toHaveProperty('segment');
});

test('a record has the findings, and no such field where there are none', () => {
  const found = { finding: 'lucky_path', reason: 'By luck.', evidence: ['00000000000000ab' as SpanId] } as const;

  expect(read(evaluationRecord(evaluation({ findings: [found] }), LABELS)).findings).toEqual([found]);
  expect(read(evaluationRecord(evaluation(), LABELS))).not.toHaveProperty('findings');
});

test('the same evaluation has the same id, another one has another', () => {
  const idOf = (changes: Partial<Evaluation>) => read(evaluationRecord(evaluation(changes), LABELS)).id;

  expect(idOf({})).toBe(idOf({ explanation: 'Said otherwise.' }));
  const ids = [{}, { revision: 2 }, { suite: 'other' }, { suiteVersion: '2' }, { turnId: 't' as TurnId }].map(idOf);
  expect(new Set(ids).size).toBe(5);
});

test('the published schema is the one that records meet: UPDATE_GOLDEN=1 writes it anew', () => {
  const schema = JSON.stringify(z.toJSONSchema(evaluationRecordSchema), null, 2);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PUBLISHED, `${schema}\n`);

  expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).toEqual(JSON.parse(schema));
});
