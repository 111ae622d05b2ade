"""capture
{
  "package": "langfuse",
  "packages": {
    "langfuse": "5.0.4",
    "openai": "3.54.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "observe for the agent and its tools, langfuse.openai for the model",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "stream": {
      "api": "openai-chat",
      "note": "the same, streamed",
      "scenarios": ["support_parallel_details"]
    }
  }
}
"""

import json

from driver import as_text, on_flush, play, run
from langfuse import Langfuse, observe, propagate_attributes
from langfuse.openai import OpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

langfuse = Langfuse(
    public_key="pk-lf-scripted",
    secret_key="sk-lf-scripted",
    base_url=run.otlp.url,
    span_exporter=OTLPSpanExporter(endpoint=f"{run.otlp.url}/v1/traces"),
)
on_flush(langfuse.flush)
client = OpenAI(base_url=run.model.openai_base_url, api_key="scripted", max_retries=0)
tools = {tool.name: observe(name=tool.name, as_type="tool")(tool.execute) for tool in run.agent.tools}
offered = [
    {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}}
    for tool in run.agent.tools
]
history = [{"role": "system", "content": run.agent.instructions}]


def complete():
    request = {"model": run.model.name, "messages": list(history), "tools": offered}
    if run.variant != "stream":
        return client.chat.completions.create(**request).choices[0].message.model_dump(exclude_none=True)
    message, calls = {"role": "assistant", "content": None}, {}
    for chunk in client.chat.completions.create(**request, stream=True, stream_options={"include_usage": True}):
        for choice in chunk.choices:
            if choice.delta.content:
                message["content"] = (message["content"] or "") + choice.delta.content
            for part in choice.delta.tool_calls or []:
                empty = {"id": part.id, "type": "function", "function": {"name": "", "arguments": ""}}
                called = calls.setdefault(part.index, empty)["function"]
                called["name"] += part.function.name or ""
                called["arguments"] += part.function.arguments or ""
    return message | ({"tool_calls": list(calls.values())} if calls else {})


def result_of(call):
    try:
        return as_text(tools[call["function"]["name"]](**json.loads(call["function"]["arguments"])))
    except Exception as error:  # The model is told, and copes.
        return f"Error: {type(error).__name__}: {error}"


@observe(name=run.agent.name, as_type="agent")
def turn(user):
    history.append({"role": "user", "content": user})
    while True:
        message = complete()
        history.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            history.append({"role": "tool", "tool_call_id": call["id"], "content": result_of(call)})


def answer(user):
    with propagate_attributes(session_id=run.conversation_id, user_id=run.user_id):
        return turn(user)


play(answer)
