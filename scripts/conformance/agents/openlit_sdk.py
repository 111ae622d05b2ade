"""OpenLIT over OpenAI's SDK, with an agent by hand."""
import openlit
from driver import on_flush, open_ai_agent, play, run
from openai import OpenAI
from opentelemetry import trace

openlit.init(otlp_endpoint=run.otlp.url, service_name=run.service_name, disable_metrics=True)
on_flush(lambda: trace.get_tracer_provider().force_flush())
client = OpenAI(max_retries=0)


def complete(**asked):
    return client.chat.completions.create(**asked).choices[0].message.model_dump(exclude_none=True)


play(open_ai_agent(complete, trace.get_tracer("my-agent")))
