"""Clients with OpenAI's interface, of which the run's settings name the class: an agent by hand."""
import importlib

from driver import in_session, instrument, open_ai_agent, play, run, start_telemetry

provider = start_telemetry()
instrument(provider)

module, name = run.settings["client"].split(":")
client = getattr(importlib.import_module(module), name)(
    api_key="scripted", base_url=run.model.base_url if run.settings.get("bare_url") else run.model.openai_base_url
)


def complete(**asked):
    return client.chat.completions.create(**asked).choices[0].message.model_dump(exclude_none=True)


agent = open_ai_agent(complete, provider.get_tracer("my-agent"))


def answer(user):
    with in_session():
        return agent(user)


play(answer)
