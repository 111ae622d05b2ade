/**
 * Keys under which frameworks and applications put the conversation's and the user's id when they do not use the
 * conventions'. Plain attributes only; ids inside a framework's JSON belong to that framework's dialect.
 *
 * Not ids of a conversation: `mcp.session.id` (a transport), `gen_ai.agent.call.id` (a run), `gen_ai.response.id`.
 */
import type { Dialect } from '../dialect.ts';
import { asText, memberAs, row, rows } from '../rows.ts';

export const CONVERSATION_NAMES = [
  'thread_id',
  'threadId',
  'session_id',
  'sessionId',
  'conversation_id',
  'conversationId',
];

export const associations: Dialect = {
  name: 'associations',
  rows: [
    ...rows('conversationId', asText, [
      'langfuse.session.id',
      ...under('traceloop.association.properties', ['conversation_id', 'conversationId']),
      ...under('traceloop.association.properties', ['thread_id', 'threadId', 'session_id', 'sessionId']),
      ...under('traceloop.association.properties', ['chat_id', 'chatId']),
      ...under('langsmith.metadata', CONVERSATION_NAMES),
      ...under('ai.telemetry.metadata', ['conversationId', 'conversation_id', 'chatId', 'chat_id']),
      ...under('ai.telemetry.metadata', ['threadId', 'thread_id', 'sessionId', 'session_id']),
      ...under('ai.settings.context', ['conversationId', 'conversation_id', 'chatId', 'chat_id']),
      ...under('ai.settings.context', ['threadId', 'thread_id', 'sessionId', 'session_id']),
      'gcp.vertex.agent.session_id',
      ...under('mastra.metadata', ['threadId', 'sessionId']),
      'langfuse.trace.metadata.langfuse_session_id',
      'langfuse.observation.metadata.langfuse_session_id',
      ...under('langfuse.trace.metadata', CONVERSATION_NAMES),
      ...under('langfuse.observation.metadata', CONVERSATION_NAMES),
    ]),
    row('conversationId', 'metadata', memberAs(CONVERSATION_NAMES, asText)),
    ...rows('conversationId', asText, [
      'mlflow.trace.session',
      'microsoft.session.id',
      'langwatch.thread.id',
      'gen_ai.agent.session_id',
      'thread_id',
      'langsmith.trace.session_id',
    ]),
    ...rows('userId', asText, [
      'langfuse.user.id',
      'llm.user',
      ...under('traceloop.association.properties', ['user_id', 'userId']),
      ...under('langsmith.metadata', ['user_id', 'userId']),
      ...under('ai.telemetry.metadata', ['userId', 'user_id']),
      ...under('ai.settings.context', ['userId', 'user_id']),
      ...under('mastra.metadata', ['userId', 'user_id']),
      'langfuse.trace.metadata.langfuse_user_id',
      ...under('langfuse.observation.metadata', ['user_id', 'userId']),
      'mlflow.trace.user',
      'langwatch.user.id',
    ]),
    row('userId', 'metadata', memberAs(['user_id', 'userId'], asText)),
  ],
};

function under(prefix: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${prefix}.${name}`);
}
