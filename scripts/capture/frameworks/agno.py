"""capture
{
  "package": "agno",
  "packages": {
    "agno": "3.1.10",
    "openai": "3.54.0",
    "openinference-instrumentation-agno": "1.0.15",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "OpenInference; session_id of the run",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details", "support_subagent"]
    },
    "stream": {
      "api": "openai-responses",
      "note": "OpenInference; streamed over the Responses API",
      "scenarios": ["support_parallel_details"],
      "settings": { "stream": true }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true" }
    }
  }
}
"""
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat, OpenAIResponses
from agno.tools.function import Function
from driver import as_text, instrument, play, run, start_telemetry

instrument(start_telemetry(), "openinference.instrumentation.agno:AgnoInstrumentor")


def tool_of(offer):
    def called(**args):
        if offer.name == "ask_support_agent":
            return agent_of(run.inner).run(args["question"]).content
        return as_text(offer.execute(**args))

    return Function(
        name=offer.name,
        description=offer.description,
        parameters=offer.parameters,
        entrypoint=called,
        skip_entrypoint_processing=True,
    )


def agent_of(offer, **options):
    of_api = OpenAIResponses if run.api == "openai-responses" else OpenAIChat
    return Agent(
        name=offer.name,
        model=of_api(id=run.model.name, max_retries=0, retries=0),
        instructions=offer.instructions,
        tools=[tool_of(tool) for tool in offer.tools],
        telemetry=False,
        **options,
    )


agent = agent_of(run.agent, db=InMemoryDb(), add_history_to_context=True)


def answer(user):
    given = {"session_id": run.conversation_id, "user_id": run.user_id}
    if not run.settings.get("stream"):
        result = agent.run(user, **given)
        if str(getattr(result.status, "value", result.status)).lower() == "error":
            raise RuntimeError(result.content)
        # Its content is all that was said, remarks before tool calls too.
        return result.messages[-1].content
    said = []
    for event in agent.run(user, stream=True, stream_events=True, **given):
        if event.event == "ToolCallStarted":
            said.clear()
        elif event.event == "RunContent" and event.content is not None:
            said.append(event.content)
    return "".join(said)


play(answer)
