"""AG2 with its own TelemetryMiddleware."""
from ag2 import Agent, MemoryStream, tool
from ag2.config import OpenAIConfig
from ag2.middleware.builtin.telemetry import TelemetryMiddleware
from driver import play, run, start_telemetry

provider = start_telemetry()


def agent_of(offer, tools):
    return Agent(
        offer.name,
        prompt=offer.instructions,
        config=OpenAIConfig(run.model.name, base_url=run.model.openai_base_url, max_retries=0),
        tools=tools,
        middleware=[
            TelemetryMiddleware(
                tracer_provider=provider,
                agent_name=offer.name,
                provider_name="openai",
                model_name=run.model.name,
                span_attributes={"gen_ai.conversation.id": run.conversation_id},
            )
        ],
    )


def tools_of(offer):
    if offer.tools[0].name != "ask_support_agent":
        return [tool(each.function, name=each.name, description=each.description) for each in offer.tools]
    inner = agent_of(run.inner, tools_of(run.inner))

    async def ask_support_agent(question: str) -> str:
        return (await inner.ask(question)).body

    return [tool(ask_support_agent, description=offer.tools[0].description)]


agent = agent_of(run.agent, tools_of(run.agent))
reply = None


async def answer(user):
    global reply
    reply = await (agent.ask(user, stream=MemoryStream()) if reply is None else reply.ask(user))
    return reply.body


play(answer)
