/** A recorded conversation as a case of a dataset. */
import { expect, test } from 'vitest';
import { recordedCase } from '../../src/engine/recorded-case.ts';
import { aConversation, aStep, aTurn } from '../score/conversations.ts';

const ORIGIN = { agent: 'helper', agentVersion: 'v1' };

test('a turn with a picture is no case: an agent that runs again would not see it', () => {
  const asked = (parts: readonly object[]) => {
    const user = { role: 'user', name: undefined, parts, finishReason: undefined };
    // The cast holds: these are parts.
    const step = aStep({ messagesIn: [user] as never });
    return recordedCase(aConversation([aTurn({ asked: 'What is on it?', steps: [step] })]), ORIGIN, []);
  };
  const words = { type: 'text', text: 'What is on it?' };

  expect(asked([words, { type: 'media', modality: 'image', mime: 'image/png' }])).toBe('truncated');
  expect(asked([words])).toMatchObject({ turns: ['What is on it?'] });
});
