"""capture
{
  "package": "strands-agents",
  "packages": {
    "strands-agents": "1.62.0",
    "openai": "2.54.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.1"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "span events of the older conventions, the default; session.id among trace_attributes",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "latest": {
      "api": "openai-responses",
      "note": "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental,gen_ai_tool_definitions",
      "scenarios": ["meeting_tool_error_recovery", "support_parallel_details", "support_subagent"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental,gen_ai_tool_definitions" }
    }
  }
}
"""
from driver import instrument, play, run, start_telemetry
from strands import Agent, tool

instrument(start_telemetry())


def model():
    if run.api == "openai-responses":
        from strands.models.openai_responses import OpenAIResponsesModel as Model
    else:
        from strands.models.openai import OpenAIModel as Model
    return Model(client_args={"max_retries": 0}, model_id=run.model.name)


def tool_of(offer):
    if offer.name != "ask_support_agent":
        return tool(offer.function)

    @tool(name=offer.name, description=offer.description)
    async def ask(question: str) -> str:
        return text_of(await agent_of(run.inner).invoke_async(question))

    return ask


def agent_of(offer):
    return Agent(
        name=offer.name,
        model=model(),
        system_prompt=offer.instructions,
        callback_handler=None,
        retry_strategy=None,
        trace_attributes={"session.id": run.conversation_id, "user.id": run.user_id},
        tools=[tool_of(each) for each in offer.tools],
    )


def text_of(result):
    return "".join(block.get("text", "") for block in result.message["content"])


agent = agent_of(run.agent)


async def answer(user):
    return text_of(await agent.invoke_async(user))


play(answer)
