/** Spring AI: the GenAI conventions, and keys of its own for the conversation and for what a tool was given and gave back. */
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import { asText, rows } from '../rows.ts';

const ARGUMENTS = 'spring.ai.tool.call.arguments';
const RESULT = 'spring.ai.tool.call.result';

export const springAi: Dialect = {
  name: 'spring-ai',
  rows: rows('conversationId', asText, ['spring.ai.chat.client.conversation.id']),
  captured: [
    ['toolArgs', ARGUMENTS],
    ['toolResult', RESULT],
  ],
  toolArgs: [attributeFinder(ARGUMENTS)],
  toolResult: [attributeFinder(RESULT)],
};
