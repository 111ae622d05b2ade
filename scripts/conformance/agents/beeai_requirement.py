"""BeeAI's RequirementAgent through OpenInference."""
from driver import as_text, in_session, instrument, play, run, start_telemetry

instrument(start_telemetry())

from beeai_framework.adapters.openai import OpenAIChatModel
from beeai_framework.agents.requirement import RequirementAgent
from beeai_framework.memory import UnconstrainedMemory
from beeai_framework.tools import StringToolOutput, tool
from pydantic import create_model


def tool_of(offer):
    schema = create_model(offer.name, **{name: (str, ...) for name in offer.parameters["properties"]})

    async def called(**args):
        if offer.name == "ask_support_agent":
            return StringToolOutput((await agent_of(run.inner).run(args["question"])).last_message.text)
        return StringToolOutput(as_text(offer.execute(**args)))

    return tool(called, name=offer.name, description=offer.description, input_schema=schema)


def agent_of(offer):
    return RequirementAgent(
        name=offer.name,
        llm=OpenAIChatModel(
            run.model.name,
            api_key="scripted",
            base_url=run.model.openai_base_url,
            # Else it asks for tools by the format of the response.
            tool_call_fallback_via_response_format=False,
            allow_parallel_tool_calls=True,
        ),
        memory=UnconstrainedMemory(),
        instructions=offer.instructions,
        tools=[tool_of(each) for each in offer.tools],
    )


agent = agent_of(run.agent)


async def answer(user):
    with in_session():
        return (await agent.run(user)).last_message.text


play(answer)
