"""capture
{
  "package": "llama-index-core",
  "packages": {
    "llama-index-core": "0.14.25",
    "llama-index-llms-openai": "0.8.3",
    "openinference-instrumentation": "0.1.72",
    "openinference-instrumentation-llama-index": "4.6.1",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "FunctionAgent; OpenInference; using_session around each turn; streamed, as the agent does by itself",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    },
    "whole": {
      "api": "openai-chat",
      "note": "streaming=False; nothing says which conversation it is; an agent inside a tool",
      "scenarios": ["meeting_tool_error_recovery", "support_subagent"],
      "settings": { "whole": true }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true" }
    }
  }
}
"""
from contextlib import nullcontext

from driver import in_session, instrument, play, run, start_telemetry
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI

instrument(start_telemetry(), "openinference.instrumentation.llama_index:LlamaIndexInstrumentor")
whole = run.settings.get("whole", False)


def tool_of(offer):
    if offer.name == "ask_support_agent":

        async def ask_support_agent(question: str) -> str:
            return str(await agent_of(run.inner).run(question))

        return FunctionTool.from_defaults(async_fn=ask_support_agent, description=offer.description)
    return FunctionTool.from_defaults(offer.function, name=offer.name, description=offer.description)


def agent_of(offer):
    return FunctionAgent(
        name=offer.name,
        description=offer.instructions,
        system_prompt=offer.instructions,
        tools=[tool_of(tool) for tool in offer.tools],
        llm=OpenAI(model=run.model.name, api_base=run.model.openai_base_url, max_retries=0),
        streaming=not whole,
    )


agent = agent_of(run.agent)
context = Context(agent)


async def answer(user):
    with nullcontext() if whole else in_session():
        return str(await agent.run(user, ctx=context))


play(answer)
