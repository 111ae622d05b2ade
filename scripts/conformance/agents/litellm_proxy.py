"""An agent that exports nothing itself, behind the LiteLLM proxy with its OpenTelemetry callback."""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

from driver import as_text, play, run
from openai import OpenAI

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
config = {
    "model_list": [
        {
            "model_name": run.model.name,
            "litellm_params": {
                "model": f"openai/{run.model.name}",
                "api_base": run.model.openai_base_url,
                "api_key": "scripted",
                "max_retries": 0,
            },
        }
    ],
    "litellm_settings": {"callbacks": ["otel"], "num_retries": 0},
    "router_settings": {"num_retries": 0},
}
with open("proxy.json", "w", encoding="utf-8") as file:
    json.dump(config, file)  # JSON is YAML.
environment = os.environ | {
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER": "otlp_http",
    "OTEL_ENDPOINT": f"{run.otlp.url}/v1/traces",
    "OTEL_EXPORTER_OTLP_ENDPOINT": run.otlp.url,
    "OTEL_BSP_SCHEDULE_DELAY": "200",
    "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
}
command = [os.path.join(os.path.dirname(sys.executable), "litellm"), "--config", "proxy.json", "--port", str(port)]
proxy = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
for _ in range(240):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=1).read()
        break
    except OSError:
        time.sleep(0.25)

client = OpenAI(base_url=f"http://127.0.0.1:{port}", api_key="scripted", max_retries=0)
history = [{"role": "system", "content": run.agent.instructions}]
tools = {tool.name: tool for tool in run.agent.tools}
offered = [
    {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
    for t in run.agent.tools
]


def result_of(call):
    try:
        return as_text(tools[call.function.name].execute(**json.loads(call.function.arguments)))
    except RuntimeError as error:
        return f"Error: {type(error).__name__}: {error}"


def answer(user):
    history.append({"role": "user", "content": user})
    while True:
        message = (
            client.chat.completions.create(
                model=run.model.name,
                messages=history,
                tools=offered,
                user=run.user_id,
                extra_body={"metadata": {"session_id": run.conversation_id}},
            )
            .choices[0]
            .message
        )
        history.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            history.append({"role": "tool", "tool_call_id": call.id, "content": result_of(call)})


play(answer)
time.sleep(2)
proxy.terminate()
proxy.wait(10)
