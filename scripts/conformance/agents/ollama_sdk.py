"""Ollama's client, with an agent by hand."""
from driver import as_text, in_session, instrument, play, run, start_telemetry, traced_tool, traced_turn

provider = start_telemetry()
instrument(provider)

from ollama import Client

tracer = provider.get_tracer("my-agent")
client = Client(host=run.model.base_url)
tools = {tool.name: tool for tool in run.agent.tools}
offered = [
    {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
    for t in run.agent.tools
]
history = [{"role": "system", "content": run.agent.instructions}]


def result_of(call):
    try:
        return as_text(traced_tool(tracer, tools[call.function.name], dict(call.function.arguments), None))
    except RuntimeError as error:
        return f"Error: {type(error).__name__}: {error}"


def answer(user):
    history.append({"role": "user", "content": user})
    with in_session(), traced_turn(tracer):
        while True:
            message = client.chat(model=run.model.name, messages=list(history), tools=offered).message
            history.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                history.append({"role": "tool", "tool_name": call.function.name, "content": result_of(call)})


play(answer)
