/**
 * How content capture is switched on, by the scope that instrumentations put on their spans. Most leave it off, and none
 * says so on the span. The first pattern that fits counts.
 */
interface CaptureSwitch {
  readonly scope: RegExp;
  readonly framework: string;
  readonly remedy: string;
}

const GENAI = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

export const CAPTURE_SWITCHES: readonly CaptureSwitch[] = [
  {
    scope: /^gcp\.vertex\.agent/,
    framework: 'Google ADK',
    remedy: `set ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true (Python since 2.x: ${GENAI}=SPAN_ONLY)`,
  },
  {
    scope: /^com\.anthropic\.claude_code/,
    framework: 'Claude Code',
    remedy: 'set OTEL_LOG_USER_PROMPTS=1, OTEL_LOG_TOOL_DETAILS=1 and OTEL_LOG_TOOL_CONTENT=1',
  },
  { scope: /^codex/, framework: 'Codex', remedy: 'set log_user_prompt = true under [otel] in config.toml' },
  {
    scope: /^agent_framework|^Experimental\.Microsoft\.(?:Agents|Extensions)/,
    framework: 'Microsoft Agent Framework',
    remedy: 'set ENABLE_SENSITIVE_DATA=true',
  },
  {
    scope: /^Microsoft\.SemanticKernel|^semantic_kernel/,
    framework: 'Semantic Kernel',
    remedy: 'set SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true',
  },
  {
    scope: /openinference|^openinference-core/,
    framework: 'OpenInference',
    remedy: 'unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the other OPENINFERENCE_HIDE_* variables',
  },
  {
    scope: /traceloop|^opentelemetry\.instrumentation\.(?:langchain|llamaindex|crewai|agno|openai_agents|openai\.v)/,
    framework: 'OpenLLMetry',
    remedy: 'set TRACELOOP_TRACE_CONTENT=true, and leave traceContent of initialize() on',
  },
  {
    scope: /^opentelemetry\.instrumentation\.ag2$/,
    framework: 'AG2',
    remedy: 'leave capture_content of TelemetryMiddleware on',
  },
  { scope: /^haystack/, framework: 'Haystack', remedy: 'set HAYSTACK_CONTENT_TRACING_ENABLED=true' },
  {
    scope: /^litellm/,
    framework: 'LiteLLM',
    remedy: `unset ${GENAI}, which takes the messages off the spans, and leave turn_off_message_logging off`,
  },
  { scope: /openlit/, framework: 'OpenLIT', remedy: 'leave captureMessageContent of init() on' },
  {
    scope: /^mastra|@mastra\//,
    framework: 'Mastra',
    remedy: 'remove hideInput and hideOutput from the tracing options',
  },
  {
    scope: /^langfuse/,
    framework: 'Langfuse',
    remedy: 'remove the mask function, or give the observations input and output',
  },
  { scope: /^langsmith/, framework: 'LangSmith', remedy: 'unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS' },
  {
    scope: /^pydantic-ai|^pydantic_ai|^logfire/,
    framework: 'Pydantic AI',
    remedy: 'leave include_content of InstrumentationSettings on',
  },
  { scope: /^ai$|^gen_ai$/, framework: 'Vercel AI SDK', remedy: 'leave recordInputs and recordOutputs on' },
  {
    scope: /opentelemetry[./]instrumentation|^opentelemetry\./,
    framework: 'OpenTelemetry instrumentation',
    remedy: `set ${GENAI}=true (with OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental: ${GENAI}=SPAN_ONLY), and export logs to Assay as well`,
  },
];

const ANY_CAPTURE_SWITCH: CaptureSwitch = {
  scope: /./,
  framework: 'this instrumentation',
  remedy: `switch on content capture; where it follows the GenAI conventions, set ${GENAI}=true`,
};

export function captureSwitchOf(scopeName: string): CaptureSwitch {
  return CAPTURE_SWITCHES.find(({ scope }) => scope.test(scopeName)) ?? ANY_CAPTURE_SWITCH;
}
