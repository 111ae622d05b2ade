"""The LiteLLM SDK, with an agent by hand."""
from driver import in_session, instrument, open_ai_agent, play, run, start_telemetry

provider = start_telemetry()
instrument(provider)

import litellm

litellm.num_retries = 0
if run.settings.get("own"):
    litellm.callbacks = ["otel"]


def complete(**asked):
    asked["model"] = f"openai/{asked['model']}"
    given = {"api_base": run.model.openai_base_url, "api_key": "scripted", "max_retries": 0}
    return litellm.completion(**asked, **given).choices[0].message.model_dump(exclude_none=True)


agent = open_ai_agent(complete, provider.get_tracer("my-agent"))


def answer(user):
    with in_session():
        return agent(user)


play(answer)
