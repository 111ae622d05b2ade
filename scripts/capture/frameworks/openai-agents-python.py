"""capture
{
  "package": "openai-agents",
  "packages": {
    "openai-agents": "0.24.0",
    "openai": "3.54.0",
    "openinference-instrumentation": "0.1.72",
    "openinference-instrumentation-openai-agents": "2.6.0",
    "opentelemetry-instrumentation-openai-agents": "0.62.4",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "OpenInference; using_session around each turn",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "agents": {
      "api": "openai-responses",
      "note": "OpenInference; an agent as a tool, a hand-off",
      "scenarios": ["support_subagent", "support_handoff"]
    },
    "chat": {
      "api": "openai-chat",
      "note": "OpenInference; streamed chat completions, group_id of the run for the conversation",
      "scenarios": ["meeting_tool_error_recovery", "support_parallel_details"],
      "settings": { "stream": true, "session": "group" }
    },
    "content_off": {
      "api": "openai-responses",
      "note": "OpenInference with OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true" }
    },
    "traceloop": {
      "api": "openai-responses",
      "note": "OpenLLMetry's instrumentation",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details", "support_handoff"],
      "settings": { "instrumentation": "traceloop", "session": "group" }
    }
  }
}
"""
from contextlib import nullcontext

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool, handoff, set_default_openai_client
from agents import OpenAIChatCompletionsModel, OpenAIResponsesModel, set_trace_processors
from driver import in_session, instrument, play, run, start_telemetry
from openai import AsyncOpenAI

set_trace_processors([])  # The SDK would send its traces to OpenAI.
provider = start_telemetry()
if run.settings.get("instrumentation") == "traceloop":
    instrument(provider, "opentelemetry.instrumentation.openai_agents:OpenAIAgentsInstrumentor")
else:
    instrument(provider, "openinference.instrumentation.openai_agents:OpenAIAgentsInstrumentor")

client = AsyncOpenAI(max_retries=0)
set_default_openai_client(client, use_for_tracing=False)
model_of_api = OpenAIChatCompletionsModel if run.api == "openai-chat" else OpenAIResponsesModel


def agent_of(offer, handoffs=()):
    return Agent(
        name=offer.name,
        instructions=offer.instructions,
        model=model_of_api(model=run.model.name, openai_client=client),
        tools=[tool_of(tool) for tool in offer.tools],
        handoffs=list(handoffs),
    )


def tool_of(offer):
    if offer.name != "ask_support_agent":
        # With the SDK's own function for failures, the trace does not say what failed.
        return function_tool(offer.function, failure_error_function=failure)

    @function_tool(name_override=offer.name, description_override=offer.description)
    async def ask(question: str) -> str:
        return (await Runner.run(agent_of(run.inner), question)).final_output

    return ask


def failure(_context, error):
    return f"{type(error).__name__}: {error}"


agent = agent_of(run.agent, [handoff(agent_of(run.inner))] if run.hands_off else [])
session = SQLiteSession(run.conversation_id)


async def answer(user):
    uses_group = run.settings.get("session") == "group"
    config = RunConfig(group_id=run.conversation_id) if uses_group else RunConfig()
    with nullcontext() if uses_group else in_session():
        if not run.settings.get("stream"):
            return (await Runner.run(agent, user, session=session, run_config=config)).final_output
        streamed = Runner.run_streamed(agent, user, session=session, run_config=config)
        async for _ in streamed.stream_events():
            pass
        return streamed.final_output


play(answer)
