/**
 * Where a recorded run can't be understood as it happened, because its spans do not carry it. Each row says which runs,
 * which fields, and why; a row that excuses nothing makes the test fail, and must go.
 */
export interface Exception {
  /** Of the run's name: `<framework>@<version>/<scenario>[.<variant>]`. */
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
    runs: /^langfuse.*\.content_off$/,
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
];
