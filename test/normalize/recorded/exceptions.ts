/**
 * Recorded runs that cannot be reconstructed as they happened, because their spans do not carry it. Each row says which
 * runs, which fields, and why. A row that excuses nothing makes the test fail, and must be removed.
 */
export interface Exception {
  /** Pattern of the run's name: `<framework>@<version>/<scenario>[.<variant>]`. */
  readonly runs: RegExp;
  readonly fields: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    runs: /\/support_subagent/,
    fields: /^agent$/,
    reason: 'the script names the sub-agent; the turn belongs to the agent that was asked',
  },
  {
    runs: /\.(legacy_)?content_off$/,
    fields: /\.(user_input|final_answer)$|\.tool_calls\[\d+\]\.(args|result)$/,
    reason: 'the emitter was told not to record what was said',
  },
  {
    runs: /\/meeting_process_killed/,
    fields: /^turns\[1\]\.error$/,
    reason: 'a killed process says nothing of its end; the turn is flagged root-missing instead',
  },
  {
    runs: /^ai-sdk.*\/meeting_process_killed\.(http|stream|legacy)$/,
    fields: /^turns\.length$|^turns\[1\]|^conversation_id$/,
    reason: 'of the killed turn at most the HTTP request to the model was exported',
  },
  {
    runs: /^ai-sdk@7.*content_off$/,
    fields: /\.tool_calls\[\d+\]\.error$/,
    reason: 'with content off, version 7 leaves out what the error said as well',
  },
  {
    runs: /^(?:langfuse|langsmith).*\.content_off$/,
    fields: /\.tool_calls\[\d+\]\.id$/,
    reason: 'call ids are only inside the content, which was masked',
  },
  {
    runs: /^google-adk.*\/meeting_silent_crash/,
    fields: /^turns\[1\]\.(error|llm_calls)$/,
    reason: 'a model call that failed leaves no span, no event and no word',
  },
  {
    runs: /^google-adk.*\/meeting_process_killed$/,
    fields: /^turns\.length$/,
    reason: 'nothing of the killed turn was exported',
  },
  {
    runs: /^google-adk.*\.content_off$/,
    fields: /\.tokens\.(cached_input|reasoning|output)$|\.tool_calls\[\d+\]\.error$/,
    reason: 'cached and thought tokens are counted only inside the response, as is what a tool says of its failure',
  },
  {
    runs: /^mastra.*\/meeting_process_killed/,
    fields: /^turns\.length$/,
    reason: 'of the killed turn only a processor, a memory operation and a chunk of the stream were exported',
  },
  {
    runs: /^otel-contrib-openai/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'the instrumentation does not record cached and reasoning tokens',
  },
  {
    runs: /^(openinference-|openai-agents|langchain-python|llama-index|agno|traceloop).*[./]\w*content_off$/,
    fields: /\.tool_calls\[\d+\]\.id$/,
    reason: 'call ids are only inside the content, which was not recorded',
  },
  {
    runs: /^semantic-kernel-python/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'cached and thought tokens are not counted',
  },
  {
    runs: /^semantic-kernel-python.*\.content_off$/,
    fields: /\.tool_calls\[\d+\]\.name$/,
    reason: "the kernel puts the plugin's name before that of the tool, and what the model called it is content",
  },
  {
    runs: /^agno.*\/support_parallel_details/,
    fields: /\.tokens\.reasoning$/,
    reason: 'thought tokens are counted only in the history that the next turn is given',
  },
  {
    runs: /^agno.*\/support_parallel_details\.stream$/,
    fields: /\.tool_calls\[\d+\]\.id$/,
    reason: "Agno takes the ids of the Responses API's items for those of the calls",
  },
  {
    runs: /^langchain-python.*\/support_parallel_details\.traceloop$/,
    fields: /\.tokens\.reasoning$/,
    reason: 'thought tokens are counted only inside what the task around the model call gave back',
  },
  {
    runs: /^openai-agents.*\.content_off$/,
    fields: /\.tokens\.\w+$|^turns\[1\]\.error$/,
    reason: 'with content off, usage is left out with the response, and of an error only that there was one',
  },
  {
    runs: /^openai-agents.*\/meeting_tool_error_recovery/,
    fields: /\.tool_calls\[1\]\.error$/,
    reason: 'the SDK redacts what went wrong in a tool, in every place',
  },
  {
    runs: /^(openinference-anthropic|traceloop).*\/support_parallel_details(\.\w+)?$/,
    fields: /\.tokens\.reasoning$/,
    reason: 'the API of Anthropic does not count reasoning tokens, and OpenLLMetry does not record them',
  },
  {
    runs: /^openinference-openai.*\/meeting_silent_crash/,
    fields: /^turns\[1\]\.llm_calls$/,
    reason: 'a model call that failed has no span; the error is on the span of the agent',
  },
  {
    runs: /^(openinference-openai|traceloop).*\/meeting_silent_crash\.(bare|session)$/,
    fields: /^turns\[1\]\.(error|llm_calls|tool_calls\[0\]\.result)$/,
    reason: 'a model call that failed has no span, there is none around it, and only it was shown the result',
  },
  {
    runs: /^openinference-openai.*\.stream$/,
    fields: /\.tokens\.\w+$/,
    reason: 'the usage of a streamed chat completion is not recorded',
  },
  {
    runs: /^traceloop.*\/meeting_silent_crash(\.(workflow|content_off|responses|stream))?$/,
    fields: /^turns\[1\]\.(error|llm_calls)$/,
    reason: 'neither a failed call of OpenAI nor a function that threw ends its span; the turn is flagged root-missing',
  },
  {
    runs: /^traceloop.*\/meeting_silent_crash\.responses$/,
    fields: /^turns\[1\]\.tool_calls\[0\]\.id$/,
    reason: 'what the Responses API answered is not recorded, and the call that was shown it failed',
  },
  {
    runs: /^traceloop.*\.stream$/,
    fields: /\.tokens\.\w+$/,
    reason: 'tokens of a stream are estimated from its text',
  },
  {
    runs: /^traceloop.*\/meeting_success/,
    fields: /\.tokens\.cached_input$/,
    reason: 'the instrumentations of OpenAI and LangChain do not record cached tokens',
  },
  {
    runs: /^traceloop.*\/meeting_tool_error_recovery\.content_off$/,
    fields: /\.tool_calls(\.length|\[1\]\.error)$/,
    reason: 'a tool that threw has no span, and what the model was told of it was not recorded',
  },
  {
    runs: /^langsmith.*\.stream$/,
    fields: /^turns\[0\]\.(final_answer|llm_calls|tokens\.\w+|tool_calls\[1\]\.id)$/,
    reason: 'with a wrapped stream, the first model call overwrites the root, and the others have no span',
  },
  {
    runs: /^langsmith.*\.langchain$/,
    fields: /^(conversation_id|agent|turns\.length)$/,
    reason:
      'under a root of its own, runs of LangChain have no spans; a hidden node overwrites the root, so that nothing of the agent is left',
  },
  {
    runs: /^smolagents.*\.content_off$/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'smolagents keeps the sums only; the others are in what the model gave back, which was hidden',
  },
  {
    runs: /^smolagents.*\.content_off$/,
    fields: /\.tool_calls\[\d+\]\.id$/,
    reason: 'call ids are only in the messages of model calls, which were hidden',
  },
  {
    runs: /^strands.*\/support_parallel/,
    fields: /\.tokens\.reasoning$/,
    reason: 'Strands does not record reasoning tokens',
  },
  {
    runs: /^voltagent/,
    fields: /\.llm_calls$/,
    reason: 'one span stands for all model calls of a turn',
  },
  {
    runs: /^voltagent.*\/meeting_silent_crash/,
    fields: /^turns\[1\]\.tokens\./,
    reason: 'tokens are counted when the turn succeeds',
  },
  {
    runs: /^voltagent.*\/support_subagent/,
    fields: /\.tokens\.(input|output)$/,
    reason: "an agent's sum is without the sub-agent's below its tool, and is taken for the same tokens told twice",
  },
  {
    runs: /^openlit/,
    fields: /\.tokens\.reasoning$/,
    reason: 'the instrumentation does not record reasoning tokens',
  },
  {
    runs: /^openlit.*\.langchain$/,
    fields: /\.tokens\.(input|output)$/,
    reason: 'the tokens of LangChain’s model calls are estimated by the words in them',
  },
  {
    runs: /^openlit.*\/meeting_silent_crash\.(langchain|graph)$/,
    fields: /\.tool_calls\[0\]\.result$/,
    reason: 'the result is recorded as [object ToolMessage], and the call that would have shown it failed',
  },
  {
    runs: /^openlit.*\/meeting_silent_crash\.bare$/,
    fields: /^conversation_id$|^turns\.length$|^turns\[1\]\.(llm_calls|error|tool_calls\[0\]\.result)$/,
    reason: 'the failed call has neither a session nor messages, so that nothing says whose it was',
  },
  {
    runs: /^openlit.*\.responses$/,
    fields: /\.tool_calls\.length$/,
    reason:
      'the calls that an answer of the Responses API asks for are left out, and so are results in the next request',
  },
  {
    runs: /^beeai/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'the instrumentation does not record cached and reasoning tokens',
  },
  {
    runs: /^ai-sdk-5.*\/(meeting_success|support_parallel_details)$/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'version 5 records the details of the tokens only where the answer is streamed',
  },
  {
    runs: /^traceloop.*\.langchain_raw$/,
    fields: /^turns/,
    reason:
      'every run of LangChain is a trace of its own, without a conversation id and without the ids of calls: nothing leads from one to the next',
  },
  {
    runs: /^claude-agent-sdk.*\.openinference$/,
    fields: /\.llm_calls$|\.tool_calls\[\d+\]\.id$|\.tokens\.(input|cached_input)$/,
    reason:
      'the instrumentation of the SDK sees no model calls, and leaves out call ids and what was read from the cache',
  },
  {
    runs: /^claude-agent-sdk.*\/meeting_silent_crash\.openinference$/,
    fields: /^turns\[1\]\.error$/,
    reason: 'the command line puts the error into words of its own',
  },
  {
    runs: /^llamaindex/,
    fields: /\.tool_calls\[\d+\]\.id$|\.tokens\.(cached_input|reasoning)$/,
    reason: 'the instrumentation records neither the calls that a model asked for nor cached and reasoning tokens',
  },
  {
    runs: /^llamaindex.*\/meeting_tool_error_recovery$/,
    fields: /\.tool_calls(\.length|\[0\]\.error)$/,
    reason: 'a tool that threw has no span, and what the model was told is written as if the user had said it',
  },
  {
    runs: /^llamaindex.*\/meeting_silent_crash$/,
    fields: /^turns\.length$|^turns\[1\]\.(llm_calls|error)$/,
    reason: 'the agent that failed has no span, nothing below it says error, and tool results look like new questions',
  },
  {
    runs: /^mlflow.*\.semconv$/,
    fields: /\.tokens\.cached_input$/,
    reason: 'what was cached is left out of the translation to the GenAI conventions',
  },
  {
    runs: /^openinference-openai.*\/support_long$/,
    fields: /^turns\[1[01]\]\.tokens\./,
    reason: 'a long history takes all the attributes that a span may have, and the tokens come last',
  },
  {
    runs: /^(?:beeai|claude-agent-sdk|voltagent).*\/meeting_process_killed$/,
    fields: /^turns\.length$/,
    reason: 'of the killed turn nothing was exported, or only operations of the memory',
  },
  {
    runs: /^(?:genkit|strands).*\/meeting_process_killed$/,
    fields: /^conversation_id$/,
    reason: "the conversation's id is only on the outermost span, which was open",
  },
  {
    runs: /^llamaindex.*\/meeting_process_killed$/,
    fields: /^turns\[1\]\.tool_calls\.length$/,
    reason: "the tool's span was open, and the instrumentation does not record what a model asks for",
  },
  {
    runs: /^langwatch/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: "the SDK's metrics have no place for cached and reasoning tokens",
  },
  {
    runs: /^traceloop.*\/meeting_tool_exception_crash$/,
    fields: /^turns\[1\]\.(error|tool_calls\[1\]\.error)$/,
    reason: 'neither the tool that threw nor the agent around it ends its span; the turn is flagged root-missing',
  },
  {
    runs: /^llama-index-workflows/,
    fields: /^agent$/,
    reason: "LlamaIndex's integration cuts what it prints before the agent's name",
  },
  {
    runs: /^llama-index-openllmetry/,
    fields: /\.(llm_calls|tokens\.\w+)$/,
    reason: 'OpenLLMetry has no spans of the model calls of a workflow',
  },
  {
    runs: /^agno-openllmetry/,
    fields: /\.(llm_calls|tokens\.(cached_input|reasoning)|tool_calls\[\d+\]\.id)$/,
    reason: 'OpenLLMetry has no spans of the model calls of Agno',
  },
  {
    runs: /^autogen-openinference/,
    fields: /\.tokens\.(cached_input|reasoning)$/,
    reason: 'AutoGen does not keep them',
  },
  {
    runs: /^haystack-openllmetry/,
    fields: /\.tool_calls\[0\]\.error$/,
    reason: 'a tool has no span, and what the model was shown does not say that it failed',
  },
];
