/** Requests for tests: each name has its own key. */
import { createHash } from 'node:crypto';
import type { JudgeRequest } from '../../src/model/judging.ts';

export function judgeRequest(name: string, fields: Partial<JudgeRequest> = {}): JudgeRequest {
  return {
    key: createHash('sha256').update(name).digest('hex'),
    judge: 'default',
    suite: 'manners',
    suiteVersion: '1',
    criteria: [{ name: 'kind', question: 'Was it kind?' }],
    instructions: 'Judge the conversation.',
    material: `Question ${name}: please and thank you.`,
    inputTokens: 40,
    cut: '',
    priority: 50,
    ...fields,
  };
}
