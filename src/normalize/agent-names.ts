/**
 * Whether a span's name is an agent's. Where a framework has no attribute for it, the span of an agent is called as the
 * application called the agent, or, where it did not, after the class or the method of the framework that ran.
 */

/** Names that LangChain and LangGraph give to unnamed things. */
const CLASSES =
  /^(?:Runnable\w*|LangGraph|Compiled\w*Graph|\w*StateGraph|Pregel|AgentExecutor|\w*Chain|\w*PromptTemplate)$/;
const METHODS =
  /^(?:agent|run|invoke|call|stream|query|chat|kickoff|workflow|agent[ _-]?(?:run|workflow|executor)|beeai-framework-main)$/i;
/** Names that frameworks give where the application gave none: all their users have the same. */
const DEFAULTS: ReadonlySet<string> = new Set(['Agent workflow']);
const LENGTH_MAX = 256;

export function isDefaultName(name: string): boolean {
  return DEFAULTS.has(name);
}

export function agentNameIn(spanName: string): string | undefined {
  if (spanName === '' || spanName.length > LENGTH_MAX) return undefined;
  // `invocation [app]`, `CodeAgent.run`, `ClaudeAgentSDK.query`: what ran, or the method that was traced.
  if (spanName.includes('[') || spanName.includes('.') || METHODS.test(spanName) || CLASSES.test(spanName))
    return undefined;
  return spanName;
}
