"""capture
{
  "package": "langchain",
  "packages": {
    "langchain": "1.4.7",
    "langgraph": "1.2.22",
    "langchain-openai": "1.7.3",
    "openai": "3.54.0",
    "openinference-instrumentation": "0.1.72",
    "openinference-instrumentation-langchain": "0.1.80",
    "opentelemetry-instrumentation-langchain": "0.62.4",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "OpenInference; create_agent with a checkpointer, so that each turn is given only the new message; thread_id",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "stream": {
      "api": "openai-responses",
      "note": "OpenInference; streamed over the Responses API; using_session; the history is given",
      "scenarios": ["support_parallel_details", "support_subagent"],
      "settings": { "stream": true, "session": "using_session" }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "OpenInference with OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true" }
    },
    "traceloop": {
      "api": "openai-chat",
      "note": "OpenLLMetry's instrumentation; thread_id",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details", "support_subagent"],
      "settings": { "instrumentation": "traceloop" }
    }
  }
}
"""
from contextlib import nullcontext

from driver import as_text, instrument, play, run, start_telemetry
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain.messages import ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

provider = start_telemetry()
if run.settings.get("instrumentation") == "traceloop":
    instrument(provider, "opentelemetry.instrumentation.langchain:LangchainInstrumentor")
else:
    instrument(provider, "openinference.instrumentation.langchain:LangChainInstrumentor")

streamed = run.settings.get("stream", False)
uses_session = run.settings.get("session") == "using_session"


@wrap_tool_call
def failures_told(request, handler):
    try:
        return handler(request)
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        return ToolMessage(content=told, tool_call_id=request.tool_call["id"], status="error")


def tool_of(offer):
    def called(**args):
        if offer.name == "ask_support_agent":
            return agent_of(run.inner).invoke(asked(args["question"]))["messages"][-1].text
        return as_text(offer.execute(**args))

    return StructuredTool.from_function(
        called, name=offer.name, description=offer.description, args_schema=offer.parameters, infer_schema=False
    )


def agent_of(offer, **options):
    model = ChatOpenAI(
        model=run.model.name,
        max_retries=0,
        streaming=streamed,
        stream_usage=True,
        use_responses_api=run.api == "openai-responses",
    )
    return create_agent(
        model,
        [tool_of(tool) for tool in offer.tools],
        system_prompt=offer.instructions,
        name=offer.name,
        middleware=[failures_told],
        **options,
    )


def asked(user):
    return {"messages": [{"role": "user", "content": user}]}


agent = agent_of(run.agent, checkpointer=None if uses_session else InMemorySaver())
history = []


def in_session():
    if not uses_session:
        return nullcontext()
    from openinference.instrumentation import using_session

    return using_session(run.conversation_id)


def answer(user):
    with in_session():
        if uses_session:
            history.append({"role": "user", "content": user})
            for state in agent.stream({"messages": list(history)}, stream_mode="values"):
                history[:] = state["messages"]
            return history[-1].text
        config = {"configurable": {"thread_id": run.conversation_id}}
        return agent.invoke(asked(user), config)["messages"][-1].text


play(answer)
