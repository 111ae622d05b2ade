"""capture
{
  "package": "opentelemetry-instrumentation-openai-v2",
  "packages": {
    "opentelemetry-instrumentation-openai-v2": "2.4b0",
    "openai": "3.54.0",
    "opentelemetry-util-genai": "0.4b0",
    "httpx": "0.28.1",
    "opentelemetry-exporter-otlp-proto-http": "1.45.2"
  },
  "variants": {
    "default": {
      "api": "openai-chat",
      "note": "events of the older conventions as log records; OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
      "scenarios": ["meeting_success", "meeting_tool_error_recovery", "meeting_silent_crash"],
      "env": { "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true" }
    },
    "stream": {
      "api": "openai-chat",
      "note": "streamed, as default",
      "scenarios": ["support_parallel_details"],
      "env": { "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true" },
      "settings": { "stream": true }
    },
    "span_only": {
      "api": "openai-chat",
      "note": "gen_ai_latest_experimental, SPAN_ONLY",
      "scenarios": ["support_parallel_details"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY" }
    },
    "event_only": {
      "api": "openai-chat",
      "note": "gen_ai_latest_experimental, EVENT_ONLY",
      "scenarios": ["support_parallel_details"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "EVENT_ONLY" }
    },
    "span_and_event": {
      "api": "openai-chat",
      "note": "gen_ai_latest_experimental, SPAN_AND_EVENT; streamed",
      "scenarios": ["meeting_tool_error_recovery"],
      "env": { "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_AND_EVENT" },
      "settings": { "stream": true }
    }
  }
}
"""
from driver import message_of_stream, open_ai_agent, play, run, start_telemetry
from openai import OpenAI
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

provider, _ = start_telemetry(logs=True)
OpenAIInstrumentor().instrument()
client = OpenAI(max_retries=0)


def complete(**asked):
    if run.settings.get("stream"):
        options = {"include_usage": True}
        return message_of_stream(client.chat.completions.create(**asked, stream=True, stream_options=options))
    return client.chat.completions.create(**asked).choices[0].message.model_dump(exclude_none=True)


play(open_ai_agent(complete, provider.get_tracer("my-agent")))
