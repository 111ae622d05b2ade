/** The sub-agent that did a step; undefined where the conversation's own agent did it. */
import type { ConversationDetail, TranscriptStepJson } from '../../api/conversation-detail.ts';
import { labelValue } from '../../model/agent-labels.ts';

export function subAgentOf(
  { agent }: Pick<TranscriptStepJson, 'agent'>,
  { agent: own, sub_agents: subAgents }: Pick<ConversationDetail, 'agent' | 'sub_agents'>,
): string | undefined {
  // A turn whose spans name no agent is called by its service, which is nobody's sub-agent.
  return subAgents.length > 0 && agent !== labelValue(own) ? agent : undefined;
}
