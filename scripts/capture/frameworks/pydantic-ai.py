"""capture
{
  "package": "pydantic-ai-slim",
  "packages": {
    "pydantic-ai-slim": "2.68.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2",
    "openai": "3.54.0",
    "anthropic": "2.12.0",
    "logfire": "5.2.0"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "InstrumentationSettings() of the release: format 5",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "subagent": {
      "api": "openai-responses",
      "note": "an agent run by a tool of another",
      "scenarios": ["support_subagent"]
    },
    "v2": {
      "api": "openai-chat",
      "note": "format 2: agent run, running tool",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery"],
      "settings": { "version": 2 }
    },
    "v6": {
      "api": "anthropic",
      "note": "format 6: tool results have the role tool; streamed from Anthropic",
      "scenarios": ["meeting_tool_error_recovery", "support_parallel_details"],
      "settings": { "version": 6, "stream": true }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "include_content=False",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "settings": { "include_content": false }
    },
    "logfire": {
      "api": "openai-chat",
      "note": "logfire.configure(send_to_logfire=False) and instrument_pydantic_ai(); OTEL_EXPORTER_OTLP_ENDPOINT does the rest",
      "scenarios": ["meeting_success", "meeting_silent_crash"],
      "settings": { "logfire": true }
    }
  }
}
"""
from driver import on_flush, play, run, start_telemetry
from pydantic_ai import Agent, ModelRetry, Tool
from pydantic_ai.models.instrumented import InstrumentationSettings

settings = dict(run.settings)
streamed = settings.pop("stream", False)
if settings.pop("logfire", False):
    import logfire

    logfire.configure(
        send_to_logfire=False,
        console=False,
        inspect_arguments=False,
        service_name=run.agent.name,
        service_version="1.4.2",
        environment="test",
    )
    logfire.instrument_pydantic_ai()
    on_flush(logfire.force_flush)
else:
    start_telemetry()
    Agent.instrument_all(InstrumentationSettings(**settings))


def model():
    if run.api == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(run.model.name, provider=AnthropicProvider(anthropic_client=AsyncAnthropic(max_retries=0)))
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    of_api = OpenAIResponsesModel if run.api == "openai-responses" else OpenAIChatModel
    return of_api(run.model.name, provider=OpenAIProvider(openai_client=AsyncOpenAI(max_retries=0)))


def tool_of(offer):
    async def called(**args):
        if offer.name == "ask_support_agent":
            return (await inner.run(args["question"])).output
        try:
            return offer.execute(**args)
        except RuntimeError as error:
            # Anything else that a tool raises ends the run.
            raise ModelRetry(f"{type(error).__name__}: {error}") from error

    return Tool.from_schema(called, name=offer.name, description=offer.description, json_schema=offer.parameters)


def agent_of(offer):
    return Agent(
        model(), name=offer.name, instructions=offer.instructions, tools=[tool_of(tool) for tool in offer.tools], retries=2
    )


inner = agent_of(run.inner) if run.inner else None
agent = agent_of(run.agent)
history = []


async def answer(user):
    given = {"message_history": list(history), "conversation_id": run.conversation_id}
    if streamed:
        given["event_stream_handler"] = drained
    result = await agent.run(user, **given)
    history[:] = result.all_messages()
    return result.output


async def drained(_context, events):
    async for _ in events:
        pass


play(answer)
