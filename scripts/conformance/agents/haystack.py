"""Haystack's Agent inside a pipeline, with its own tracer or an instrumentation."""
from driver import as_text, in_session, instrument, play, run, start_telemetry

provider = start_telemetry()
if run.settings.get("own"):
    from haystack import tracing
    from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

    tracing.tracer.is_content_tracing_enabled = True
    tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("order-agent")))
instrument(provider)

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret


def tool_of(offer):
    def called(**args):
        if offer.name == "ask_support_agent":
            return agent_of(run.inner).run(messages=[ChatMessage.from_user(args["question"])])["last_message"].text
        return as_text(offer.execute(**args))

    return Tool(name=offer.name, description=offer.description, parameters=offer.parameters, function=called)


def agent_of(offer):
    return Agent(
        chat_generator=OpenAIChatGenerator(
            api_key=Secret.from_token("scripted"),
            model=run.model.name,
            api_base_url=run.model.openai_base_url,
            max_retries=0,
        ),
        system_prompt=offer.instructions,
        tools=[tool_of(each) for each in offer.tools],
    )


pipeline = Pipeline()
pipeline.add_component(run.agent.name, agent_of(run.agent))
history = []


def answer(user):
    history.append(ChatMessage.from_user(user))
    with in_session():
        result = pipeline.run({run.agent.name: {"messages": list(history)}})[run.agent.name]
    history[:] = [message for message in result["messages"] if not message.is_from("system")]
    return result["last_message"].text


play(answer)
