"""Mistral's SDK, with an agent by hand."""
from driver import in_session, instrument, open_ai_agent, play, run, start_telemetry

provider = start_telemetry()
instrument(provider)

from mistralai.client import Mistral

client = Mistral(api_key="scripted", server_url=run.model.base_url)


def complete(**asked):
    message = client.chat.complete(**asked).choices[0].message.model_dump(exclude_none=True)
    return {key: value for key, value in message.items() if value not in (None, [])}


agent = open_ai_agent(complete, provider.get_tracer("my-agent"))


def answer(user):
    with in_session():
        return agent(user)


play(answer)
