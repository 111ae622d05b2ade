"""LlamaIndex's AgentWorkflow, exported by its own OpenTelemetry integration."""
from driver import in_session, instrument, play, run, start_telemetry

provider = start_telemetry()
if run.settings.get("own"):
    from llama_index.observability.otel import LlamaIndexOpenTelemetry

    LlamaIndexOpenTelemetry(tracer_provider=provider, service_name_or_resource=run.service_name).start_registering()
instrument(provider)

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI


def agent_of(offer, hands_over_to=()):
    return FunctionAgent(
        name=offer.name,
        description=offer.instructions,
        system_prompt=offer.instructions,
        tools=[FunctionTool.from_defaults(t.function, name=t.name, description=t.description) for t in offer.tools],
        llm=OpenAI(model=run.model.name, api_base=run.model.openai_base_url, max_retries=0),
        can_handoff_to=list(hands_over_to),
        streaming=False,
    )


agents = [agent_of(run.agent, [run.inner.name] if run.inner else [])] + ([agent_of(run.inner)] if run.inner else [])
workflow = AgentWorkflow(agents=agents, root_agent=run.agent.name)
context = Context(workflow)


async def answer(user):
    with in_session():
        return str(await workflow.run(user, ctx=context))


play(answer)
