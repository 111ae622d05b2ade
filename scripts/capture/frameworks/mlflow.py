"""capture
{
  "package": "mlflow",
  "packages": {
    "mlflow": "3.17.2",
    "openai": "3.54.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "autolog of OpenAI, functions of the application traced by hand; session and user on the trace",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "$SERVER/v1/traces", "MLFLOW_TRACKING_URI": "sqlite:///mlflow.db", "MLFLOW_EXPERIMENT_ID": "0", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf" }
    },
    "semconv": {
      "api": "openai-chat",
      "note": "MLFLOW_ENABLE_OTEL_GENAI_SEMCONV: translated to the GenAI conventions",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery"],
      "env": {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "$SERVER/v1/traces",
        "MLFLOW_TRACKING_URI": "sqlite:///mlflow.db", "MLFLOW_EXPERIMENT_ID": "0",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "MLFLOW_ENABLE_OTEL_GENAI_SEMCONV": "true"
      }
    }
  }
}
"""
import json
import os

os.environ["OTEL_SERVICE_NAME"] = json.load(open(os.environ["CAPTURE_SCRIPT"], encoding="utf-8"))["agent"]["name"]

import mlflow  # noqa: E402
from driver import on_flush, play, run  # noqa: E402
from openai import OpenAI  # noqa: E402

mlflow.openai.autolog()
on_flush(mlflow.flush_trace_async_logging)
client = OpenAI(max_retries=0)
history = [{"role": "system", "content": run.agent.instructions}]
tools = {tool.name: tool for tool in run.agent.tools}
offered = [
    {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
    for t in run.agent.tools
]


def use(call):
    tool = tools[call.function.name]
    traced = mlflow.trace(tool.function, name=tool.name, span_type="TOOL")
    try:
        content = traced(**json.loads(call.function.arguments))
    except RuntimeError as error:
        content = f"{type(error).__name__}: {error}"
    history.append({"role": "tool", "tool_call_id": call.id, "content": content})


@mlflow.trace(name=run.agent.name, span_type="AGENT")
def answer(question):
    mlflow.update_current_trace(
        metadata={"mlflow.trace.session": run.conversation_id, "mlflow.trace.user": run.user_id}
    )
    history.append({"role": "user", "content": question})
    while True:
        message = client.chat.completions.create(model=run.model.name, messages=history, tools=offered).choices[0].message
        history.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            use(call)


play(answer)
