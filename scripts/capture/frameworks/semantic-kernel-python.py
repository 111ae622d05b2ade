"""capture
{
  "package": "semantic-kernel",
  "packages": {
    "semantic-kernel": "1.45.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "ChatCompletionAgent; SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE; messages as log records, through Python's logging",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE": "true" }
    },
    "content_off": {
      "api": "openai-chat",
      "note": "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS",
      "contentCapture": false,
      "scenarios": ["support_parallel_details"],
      "env": { "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS": "true" }
    }
  }
}
"""
import logging

from driver import play, run, start_telemetry

_, logger_provider = start_telemetry(logs=True)

from openai import AsyncOpenAI
from opentelemetry.sdk._logs import LoggingHandler
from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

handler = LoggingHandler(logger_provider=logger_provider)
handler.addFilter(logging.Filter("semantic_kernel"))
logging.getLogger().addHandler(handler)
logging.getLogger().setLevel(logging.INFO)


agent = ChatCompletionAgent(
    name=run.agent.name,
    instructions=run.agent.instructions,
    service=OpenAIChatCompletion(ai_model_id=run.model.name, async_client=AsyncOpenAI(max_retries=0)),
)
for offer in run.agent.tools:
    agent.kernel.add_function(plugin_name="tools", function=kernel_function(name=offer.name)(offer.function))
thread = ChatHistoryAgentThread(thread_id=run.conversation_id)


async def answer(user):
    return (await agent.get_response(messages=user, thread=thread)).message.content


play(answer)
