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
      "note": "schema 2, the default; OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "GOOGLE_GEMINI_BASE_URL": "$SERVER", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_AND_EVENT" }
    },
    "stream": {
      "api": "gemini",
      "note": "streaming_mode SSE; SPAN_ONLY; an agent run by a tool",
      "scenarios": ["support_parallel_details", "support_subagent"],
      "env": { "GOOGLE_GEMINI_BASE_URL": "$SERVER", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY" },
      "settings": { "stream": true }
    },
    "event_only": {
      "api": "gemini",
      "note": "EVENT_ONLY: content in log records",
      "scenarios": ["meeting_success"],
      "env": { "GOOGLE_GEMINI_BASE_URL": "$SERVER", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "EVENT_ONLY" }
    },
    "legacy": {
      "api": "gemini",
      "note": "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN=1: the form of earlier releases",
      "scenarios": ["meeting_tool_error_recovery", "support_parallel_details"],
      "env": { "GOOGLE_GEMINI_BASE_URL": "$SERVER", "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN": "1" }
    },
    "content_off": {
      "api": "gemini",
      "note": "nothing set: content is off by default",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "GOOGLE_GEMINI_BASE_URL": "$SERVER" }
    }
  }
}
"""
from driver import in_session, instrument, play, run, start_telemetry

provider, _ = start_telemetry(logs=True)
instrument(provider)

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types

APP = "captured"


def tool_of(offer):
    if offer.name != "ask_support_agent":
        return FunctionTool(offer.function)

    async def ask_support_agent(question: str) -> str:
        """Ask the support agent."""
        return await said_by(await runner_of(run.inner, "inner"), question, "inner")

    return FunctionTool(ask_support_agent)


async def runner_of(offer, session_id):
    agent = LlmAgent(
        name=offer.name,
        model=run.model.name,
        instruction=offer.instructions,
        tools=[tool_of(tool) for tool in offer.tools],
        on_tool_error_callback=told,
    )
    sessions = InMemorySessionService()
    await sessions.create_session(app_name=APP, user_id=run.user_id, session_id=session_id)
    return Runner(agent=agent, app_name=APP, session_service=sessions)


async def told(tool, args, tool_context, error):
    """Without it, a tool that throws ends the run."""
    return {"error": f"{type(error).__name__}: {error}"}


async def said_by(runner, user, session_id):
    mode = StreamingMode.SSE if run.settings.get("stream") else StreamingMode.NONE
    text = ""
    async for event in runner.run_async(
        user_id=run.user_id,
        session_id=session_id,
        new_message=types.Content(role="user", parts=[types.Part(text=user)]),
        run_config=RunConfig(streaming_mode=mode),
    ):
        if event.error_code:
            raise RuntimeError(event.error_message)
        if event.is_final_response() and not event.partial and event.content:
            text = "".join(part.text or "" for part in event.content.parts)
    return text


runner = None


async def answer(user):
    global runner
    runner = runner or await runner_of(run.agent, run.conversation_id)
    with in_session():
        return await said_by(runner, user, run.conversation_id)


play(answer)
