import { expect, test } from 'vitest';
import { buildConversation } from '../../src/assemble/build-conversation.ts';
import { turnsOfTrace } from '../../src/engine/turns-of-trace.ts';
import { weightOf } from '../../src/engine/conversation-weight.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { exportRequest } from '../simulation/traffic.ts';
import { spanOf } from '../serve/damage/damaged-folder.ts';

function weightWith(answers: readonly string[]): number {
  const spans = answers.map((answer, at) => ({
    ...spanOf(1),
    spanId: `${at + 1}`.padStart(16, '0'),
    attributes: [{ key: 'gen_ai.completion', value: { stringValue: answer } }],
  }));
  const request: unknown = JSON.parse(exportRequest(spans, 'v1'));
  const turns = turnsOfTrace({ traces: transcodeTraces(Buffer.from(JSON.stringify(request))), logs: undefined });
  return weightOf(buildConversation('c' as ConversationId, turns));
}

test('a conversation weighs what its spans have in bytes, and something for each', () => {
  const light = weightWith(['x']);

  expect(weightWith(['x'.repeat(1_001)]) - light).toBeGreaterThanOrEqual(1_000);
  expect(weightWith(['x'.repeat(1_001)]) - light).toBeLessThan(1_010);
  expect(weightWith(['x', 'x']) - light).toBeGreaterThan(200);
});
