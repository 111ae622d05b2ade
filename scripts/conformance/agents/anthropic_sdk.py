"""Anthropic's SDK, with an agent by hand."""
from driver import anthropic_agent, in_session, instrument, play, start_telemetry

provider = start_telemetry()
instrument(provider)

from anthropic import Anthropic

client = Anthropic(max_retries=0)
agent = anthropic_agent(client.messages.create, provider.get_tracer("my-agent"))


def answer(user):
    with in_session():
        return agent(user)


play(answer)
