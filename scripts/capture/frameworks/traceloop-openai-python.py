"""capture
{
  "package": "opentelemetry-instrumentation-openai",
  "packages": {
    "opentelemetry-instrumentation-openai": "0.62.4",
    "openai": "3.54.0",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "OpenLLMetry's instrumentation of the client; turns and tools are spans of the application",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash"]
    },
    "stream": {
      "api": "openai-chat",
      "note": "streamed",
      "scenarios": ["support_parallel_details"],
      "settings": { "stream": true }
    }
  }
}
"""
from driver import instrument, message_of_stream, open_ai_agent, play, run, start_telemetry
from openai import OpenAI

provider = start_telemetry()
instrument(provider, "opentelemetry.instrumentation.openai:OpenAIInstrumentor")
client = OpenAI(max_retries=0)


def complete(**asked):
    if run.settings.get("stream"):
        options = {"include_usage": True}
        return message_of_stream(client.chat.completions.create(**asked, stream=True, stream_options=options))
    return client.chat.completions.create(**asked).choices[0].message.model_dump(exclude_none=True)


play(open_ai_agent(complete, provider.get_tracer("my-agent")))
