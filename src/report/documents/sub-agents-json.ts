/** Sub-agents of a conversation as JSON: in the API and in `assay inspect --json`. */
import type { SubAgentJson } from '../../api/conversation-detail.ts';
import type { SubAgent } from '../../model/sub-agents.ts';

export function subAgentJson({ name, modelCalls, toolCalls, errors, tokens, costUsd }: SubAgent): SubAgentJson {
  return {
    name,
    steps: modelCalls + toolCalls,
    model_calls: modelCalls,
    tool_calls: toolCalls,
    errors,
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
  };
}
