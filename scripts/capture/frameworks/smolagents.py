"""capture
{
  "package": "smolagents",
  "packages": {
    "smolagents": "1.26.0",
    "openai": "3.54.0",
    "openinference-instrumentation": "0.1.72",
    "openinference-instrumentation-smolagents": "0.1.43",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "ToolCallingAgent through OpenInference's instrumentation; using_session around each turn; reset=False, so that the agent remembers",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash", "support_parallel_details"]
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
from driver import as_text, in_session, instrument, play, run, start_telemetry
from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

instrument(start_telemetry(), "openinference.instrumentation.smolagents:SmolagentsInstrumentor")


class Offered(Tool):
    output_type = "string"
    skip_forward_signature_validation = True

    def __init__(self, offer):
        self.name = offer.name
        self.description = offer.description
        properties = offer.parameters["properties"]
        self.inputs = {name: {"description": name, **schema} for name, schema in properties.items()}
        self._execute = offer.execute
        super().__init__()

    def forward(self, **args):
        return as_text(self._execute(**args))


agent = ToolCallingAgent(
    name=run.agent.name,
    instructions=run.agent.instructions,
    tools=[Offered(offer) for offer in run.agent.tools],
    model=OpenAIModel(run.model.name, api_base=run.model.openai_base_url, client_kwargs={"max_retries": 0}, retry=False),
    verbosity_level=LogLevel.OFF,
)


def answer(user):
    with in_session():
        return str(agent.run(user, reset=False))


play(answer)
