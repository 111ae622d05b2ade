"""What a Python framework's file gets: the run to play, its tools, and functions that start OpenTelemetry and play the turns.

It is copied next to the file and sees the framework's packages. The same as driver.mjs, name by name.
"""

import asyncio
import importlib
import inspect
import json
import os
import re
import time
import urllib.request
from contextlib import nullcontext
from types import SimpleNamespace

_script = json.load(open(os.environ["CAPTURE_SCRIPT"], encoding="utf-8"))
_turn = -1
_used = set()
_flushes = []


def _canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _perform(name, args):
    """Tools look their results up in the script, by name and arguments; the same call twice gets the second result."""
    time.sleep(0.008)
    wanted = _canonical(args)
    outcomes = [o for o in _script["turns"][_turn]["tools"] if o["name"] == name and _canonical(o["args"]) == wanted]
    found = next((o for o in outcomes if o["id"] not in _used), outcomes[0] if outcomes else None)
    if found is None:
        raise KeyError(f"the script knows no {name}({wanted})")
    _used.add(found["id"])
    if found.get("killed"):
        for flush in _flushes:
            flush()
        os._exit(9)
    if "error" not in found:
        return found["result"]
    match = re.match(r"(\w+): (.*)$", found["error"], re.S)
    name, message = match.groups() if match else ("RuntimeError", found["error"])
    raise type(name, (RuntimeError,), {})(message)


_TYPES = {"string": str, "integer": int, "array": list[str]}


def _tool(offer):
    """`execute(**args)` gives the plain result; `function` is the same with a signature, for frameworks that read it."""

    def execute(**args):
        return _perform(offer["name"], args)

    def function(**args):
        return as_text(_perform(offer["name"], args))

    properties = offer["parameters"]["properties"]
    function.__name__ = offer["name"]
    function.__qualname__ = offer["name"]
    function.__doc__ = offer["description"]
    function.__annotations__ = {key: _TYPES[value["type"]] for key, value in properties.items()} | {"return": str}
    function.__signature__ = inspect.Signature(
        [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=_TYPES[value["type"]])
            for key, value in properties.items()
        ],
        return_annotation=str,
    )
    return SimpleNamespace(**offer, execute=execute, function=function)


def _agent(offer):
    if offer is None:
        return None
    return SimpleNamespace(
        name=offer["name"], instructions=offer["instructions"], tools=[_tool(tool) for tool in offer["tools"]]
    )


run = SimpleNamespace(
    framework=_script["framework"],
    scenario=_script["scenario"],
    variant=_script["variant"],
    settings=_script["settings"],
    api=_script["api"],
    conversation_id=_script["conversationId"],
    user_id=_script["userId"],
    agent=_agent(_script["agent"]),
    service_name=_script["serviceName"],
    inner=_agent(_script["inner"]),
    hands_off=_script["handsOff"],
    model=SimpleNamespace(
        name=_script["model"]["name"],
        base_url=_script["model"]["baseUrl"],
        openai_base_url=_script["model"]["openaiBaseUrl"],
    ),
    otlp=SimpleNamespace(url=_script["otlp"]["url"]),
)


def as_text(result):
    """JSON text of a tool's result, for frameworks whose tools return text."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def on_flush(flush):
    """To be called after each turn: exporters that `start_telemetry` did not make."""
    _flushes.append(flush)


def start_telemetry(processors=(), logs=False):
    """A global tracer provider with a batching exporter; with `logs` a logger provider too, which is then returned."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create(
        {"service.name": run.service_name, "service.version": "1.4.2", "deployment.environment.name": "test"}
    )
    provider = TracerProvider(resource=resource)
    for processor in processors:
        provider.add_span_processor(processor)
    exporter = OTLPSpanExporter(endpoint=f"{run.otlp.url}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=200))
    trace.set_tracer_provider(provider)
    on_flush(provider.force_flush)
    if not logs:
        return provider

    from opentelemetry._logs import set_logger_provider
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    logger_provider = LoggerProvider(resource=resource)
    logger_provider.add_log_record_processor(
        BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{run.otlp.url}/v1/logs"))
    )
    set_logger_provider(logger_provider)
    on_flush(logger_provider.force_flush)
    return provider, logger_provider


def instrument(provider, *defaults):
    """Switches on the instrumentations that the run names, as `package.module:Class`, or else the defaults."""
    for place in run.settings.get("instrumentors", defaults):
        module, name = place.split(":")
        getattr(importlib.import_module(module), name)().instrument(tracer_provider=provider)


def in_session():
    """OpenInference's context with the conversation's id; no context without its package."""
    try:
        from openinference.instrumentation import using_session
    except ImportError:
        return nullcontext()
    return using_session(run.conversation_id)


def traced_tool(tracer, tool, args, call_id):
    """Carries a tool out, in a span that the application makes."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.call.arguments": json.dumps(args),
    } | ({} if call_id is None else {"gen_ai.tool.call.id": call_id})
    with tracer.start_as_current_span(f"execute_tool {tool.name}", attributes=attributes) as span:
        result = as_text(tool.execute(**args))
        span.set_attribute("gen_ai.tool.call.result", result)
        return result


def traced_turn(tracer):
    """The application's span around a turn."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": run.agent.name,
        "gen_ai.conversation.id": run.conversation_id,
    }
    return tracer.start_as_current_span(f"invoke_agent {run.agent.name}", attributes=attributes)


def open_ai_agent(complete, tracer):
    """An agent by hand over OpenAI chat completions, for libraries that instrument clients and have no agents: its turns
    and tools are spans that the application makes."""
    history = [{"role": "system", "content": run.agent.instructions}]
    tools = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in run.agent.tools
    ]
    by_name = {tool.name: tool for tool in run.agent.tools}

    def answer(user):
        history.append({"role": "user", "content": user})
        with traced_turn(tracer):
            while True:
                message = complete(model=run.model.name, messages=list(history), tools=tools)
                history.append(message)
                if not message.get("tool_calls"):
                    return message["content"]
                for call in message["tool_calls"]:
                    args = json.loads(call["function"]["arguments"])
                    try:
                        content = traced_tool(tracer, by_name[call["function"]["name"]], args, call["id"])
                    except RuntimeError as error:
                        content = f"Error: {type(error).__name__}: {error}"
                    history.append({"role": "tool", "tool_call_id": call["id"], "content": content})

    return answer


def anthropic_agent(create, tracer):
    """The same over Anthropic's Messages API."""
    messages = []
    tools = [{"name": t.name, "description": t.description, "input_schema": t.parameters} for t in run.agent.tools]
    by_name = {tool.name: tool for tool in run.agent.tools}

    def result_of(call):
        try:
            return {"content": traced_tool(tracer, by_name[call.name], call.input, call.id)}
        except RuntimeError as error:
            return {"content": f"Error: {type(error).__name__}: {error}", "is_error": True}

    def answer(user):
        messages.append({"role": "user", "content": user})
        with traced_turn(tracer):
            while True:
                asked = {"model": run.model.name, "max_tokens": 1024, "system": run.agent.instructions}
                content = create(**asked, messages=list(messages), tools=tools).content
                messages.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in content]})
                calls = [block for block in content if block.type == "tool_use"]
                if not calls:
                    return "".join(block.text for block in content if block.type == "text")
                results = [{"type": "tool_result", "tool_use_id": call.id} | result_of(call) for call in calls]
                messages.append({"role": "user", "content": results})

    return answer


def message_of_stream(stream):
    """The message that a streamed chat completion adds up to."""
    message = {"role": "assistant", "content": None}
    for chunk in stream:
        delta = chunk.choices[0].delta if chunk.choices else None
        if delta is None:
            continue
        if delta.content:
            message["content"] = (message["content"] or "") + delta.content
        for part in delta.tool_calls or []:
            calls = message.setdefault("tool_calls", [])
            if part.index == len(calls):
                calls.append({"id": part.id, "type": "function", "function": {"name": "", "arguments": ""}})
            calls[part.index]["function"]["name"] += part.function.name or ""
            calls[part.index]["function"]["arguments"] += part.function.arguments or ""
    return message


def play(answer):
    """Plays the script's turns: `answer` gets what the user says and gives back the agent's text; it may be async."""
    asyncio.run(_play(answer))


async def _play(answer):
    global _turn
    for index, turn in enumerate(_script["turns"]):
        _post("/turn", {"index": index})
        _turn = index
        outcome = {"index": index}
        try:
            said = answer(turn["user"])
            outcome["answer"] = await said if inspect.isawaitable(said) else said
        except Exception as error:  # What the application would see; it goes into the expected file.
            outcome["error"] = {"name": type(error).__name__, "message": str(error)}
            if os.environ.get("CAPTURE_VERBOSE"):
                import traceback

                traceback.print_exc()
        _post("/outcome", outcome)
        for flush in _flushes:
            flush()


def _post(path, body):
    request = urllib.request.Request(
        _script["control"] + path, data=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    urllib.request.urlopen(request).read()
