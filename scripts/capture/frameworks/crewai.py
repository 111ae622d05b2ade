"""capture
{
  "package": "crewai",
  "packages": {
    "crewai": "1.15.30",
    "openai": "2.54.0",
    "openinference-instrumentation": "0.1.72",
    "openinference-instrumentation-crewai": "1.1.21",
    "openinference-instrumentation-openai": "0.1.66",
    "opentelemetry-instrumentation-crewai": "0.62.4",
    "opentelemetry-instrumentation-openai": "0.62.4",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "a crew of one agent and one task for each turn; OpenInference for CrewAI and for OpenAI; using_session",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"],
      "env": { "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false" }
    },
    "traceloop": {
      "api": "openai-chat",
      "note": "OpenLLMetry's instrumentations of CrewAI and of OpenAI",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery"],
      "env": { "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false" },
      "settings": { "instrumentation": "traceloop" }
    }
  }
}
"""
from driver import as_text, in_session, instrument, play, run, start_telemetry

provider = start_telemetry()
if run.settings.get("instrumentation") == "traceloop":
    instrument(
        provider,
        "opentelemetry.instrumentation.crewai:CrewAIInstrumentor",
        "opentelemetry.instrumentation.openai:OpenAIInstrumentor",
    )
else:
    instrument(
        provider,
        "openinference.instrumentation.crewai:CrewAIInstrumentor",
        "openinference.instrumentation.openai:OpenAIInstrumentor",
    )

from crewai import LLM, Agent, Crew, Task
from crewai.tools import BaseTool
from pydantic import create_model

TYPES = {"string": str, "integer": int, "array": list[str]}


def tool_of(offer):
    fields = {key: (TYPES[value["type"]], ...) for key, value in offer.parameters["properties"].items()}

    class Offered(BaseTool):
        name: str = offer.name
        description: str = offer.description
        args_schema: type = create_model(offer.name, **fields)

        def _run(self, **args):
            return as_text(offer.execute(**args))

    return Offered()


agent = Agent(
    role=run.agent.name,
    goal="Do what the user asks",
    backstory=run.agent.instructions,
    llm=LLM(model=f"openai/{run.model.name}", max_retries=0),
    tools=[tool_of(tool) for tool in run.agent.tools],
    max_retry_limit=0,
    cache=False,
    verbose=False,
)


async def answer(user):
    task = Task(description=user, expected_output="An answer in one sentence", agent=agent)
    with in_session():
        return (await Crew(agents=[agent], tasks=[task], cache=False, verbose=False).kickoff_async()).raw


play(answer)
