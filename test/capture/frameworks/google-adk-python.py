"""capture
{
  "package": "google-adk",
  "packages": {
    "google-adk": "2.13.0",
    "opentelemetry-exporter-otlp-proto-http": "1.44.0"
  },
  "variants": {
    "default": {
      "api": "gemini",
      "note": "LlmAgent with function tools; content on the spans",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY" }
    },
    "log_records": {
      "api": "gemini",
      "note": "content in log records",
      "scenarios": ["meeting_success"],
      "env": { "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "EVENT_ONLY" }
    },
    "v1": {
      "api": "gemini",
      "note": "the schema before 2.x: invocation, call_llm, gcp.vertex.agent.*",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN": "1" }
    },
    "v1_stream": {
      "api": "gemini",
      "note": "the same, streamed",
      "scenarios": ["support_parallel_details"],
      "env": { "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN": "1" }
    }
  }
}
"""

import os

from driver import play, run, start_telemetry

os.environ["GOOGLE_GEMINI_BASE_URL"] = run.model.base_url
from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.runners import InMemoryRunner
from google.genai import types

start_telemetry(logs=True)


def adk_tool(offer):
    def function(**args):
        try:
            return offer.execute(**args)
        except Exception as error:
            return {"status": "error", "error_message": f"{type(error).__name__}: {error}"}

    function.__name__ = offer.name
    function.__doc__ = offer.description
    function.__signature__ = offer.function.__signature__.replace(return_annotation=dict)
    function.__annotations__ = offer.function.__annotations__ | {"return": dict}
    return function


agent = LlmAgent(
    name=run.agent.name,
    description="An agent",
    model=run.model.name,
    instruction=run.agent.instructions,
    tools=[adk_tool(tool) for tool in run.agent.tools],
)
runner = InMemoryRunner(agent=agent, app_name="app")
session = None


async def answer(user):
    global session
    if session is None:
        session = await runner.session_service.create_session(
            app_name="app", user_id=run.user_id, session_id=run.conversation_id
        )
    text = ""
    config = RunConfig(streaming_mode=StreamingMode.SSE) if run.variant == "v1_stream" else RunConfig()
    message = types.Content(role="user", parts=[types.Part(text=user)])
    async for event in runner.run_async(
        user_id=run.user_id, session_id=run.conversation_id, new_message=message, run_config=config
    ):
        if event.error_code:
            raise RuntimeError(event.error_message)
        if event.partial or event.content is None:
            continue
        said = "".join(part.text or "" for part in event.content.parts or [])
        text = said or text
    return text


play(answer)
