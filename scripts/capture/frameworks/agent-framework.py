"""capture
{
  "package": "agent-framework-core",
  "packages": {
    "agent-framework-core": "1.23.0",
    "agent-framework-openai": "1.17.0",
    "openai": "3.54.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-responses",
      "note": "enable_instrumentation(enable_sensitive_data=True); a session, its history in memory",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details", "support_subagent"],
      "settings": { "sensitive": true }
    },
    "chat": {
      "api": "openai-chat",
      "note": "streamed chat completions",
      "scenarios": ["meeting_tool_error_recovery", "support_parallel_details"],
      "settings": { "sensitive": true, "stream": true }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "sensitive data is off by default",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "settings": { "sensitive": false }
    }
  }
}
"""
from agent_framework import Agent, tool
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient
from driver import as_text, play, run, start_telemetry
from openai import AsyncOpenAI

start_telemetry(logs=True)
enable_instrumentation(enable_sensitive_data=run.settings["sensitive"])


def tool_of(offer):
    async def called(**args):
        if offer.name == "ask_support_agent":
            return (await agent_of(run.inner).run(args["question"])).text
        return as_text(offer.execute(**args))

    return tool(called, name=offer.name, description=offer.description, schema=offer.parameters, approval_mode="never_require")


def agent_of(offer):
    of_api = OpenAIChatClient if run.api == "openai-responses" else OpenAIChatCompletionClient
    return Agent(
        of_api(model=run.model.name, async_client=AsyncOpenAI(max_retries=0)),
        offer.instructions,
        name=offer.name,
        tools=[tool_of(each) for each in offer.tools],
        default_options={"store": False} if run.api == "openai-responses" else None,
    )


agent = agent_of(run.agent)
session = agent.create_session(session_id=run.conversation_id)


async def answer(user):
    if not run.settings.get("stream"):
        return answered(await agent.run(user, session=session))
    streamed = agent.run(user, session=session, stream=True)
    async for _ in streamed:
        pass
    return answered(await streamed.get_final_response())


def answered(response):
    """Its text is all that was said, remarks before tool calls too."""
    return response.messages[-1].text


play(answer)
