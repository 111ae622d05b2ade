"""capture
{
  "package": "autogen-agentchat",
  "packages": {
    "autogen-agentchat": "0.7.5",
    "autogen-ext": "0.7.5",
    "openai": "3.54.0",
    "tiktoken": "0.14.0",
    "opentelemetry-instrumentation-openai": "0.62.4",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "AssistantAgent: its own spans of agents and tools, OpenLLMetry's of the model calls",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
    }
  }
}
"""
from autogen_agentchat.agents import AssistantAgent
from autogen_core.tools import FunctionTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from driver import instrument, play, run, start_telemetry

instrument(start_telemetry(), "opentelemetry.instrumentation.openai:OpenAIInstrumentor")

agent = AssistantAgent(
    run.agent.name,
    model_client=OpenAIChatCompletionClient(model=run.model.name, max_retries=0),
    system_message=run.agent.instructions,
    tools=[FunctionTool(tool.function, description=tool.description, name=tool.name) for tool in run.agent.tools],
    max_tool_iterations=8,
)


async def answer(user):
    return (await agent.run(task=user)).messages[-1].content


play(answer)
