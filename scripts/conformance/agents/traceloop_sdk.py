"""Traceloop's SDK and its decorators over OpenAI's SDK, with an agent by hand."""
import json

from driver import as_text, on_flush, play, run
from openai import OpenAI
from opentelemetry import trace
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import agent, tool

Traceloop.init(app_name=run.service_name, api_endpoint=run.otlp.url, disable_batch=True, telemetry_enabled=False)
on_flush(lambda: trace.get_tracer_provider().force_flush())
client = OpenAI(max_retries=0)
tools = {offer.name: tool(name=offer.name)(offer.execute) for offer in run.agent.tools}
offered = [
    {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
    for t in run.agent.tools
]
history = [{"role": "system", "content": run.agent.instructions}]


def result_of(call):
    try:
        return as_text(tools[call.function.name](**json.loads(call.function.arguments)))
    except RuntimeError as error:
        return f"Error: {type(error).__name__}: {error}"


@agent(name=run.agent.name)
def turn(user):
    history.append({"role": "user", "content": user})
    while True:
        message = client.chat.completions.create(model=run.model.name, messages=history, tools=offered).choices[0].message
        history.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            history.append({"role": "tool", "tool_call_id": call.id, "content": result_of(call)})


def answer(user):
    Traceloop.set_association_properties({"session_id": run.conversation_id})
    return turn(user)


play(answer)
