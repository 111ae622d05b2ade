"""DSPy's ReAct."""
from driver import in_session, instrument, play, run, start_telemetry

instrument(start_telemetry())

import dspy

dspy.configure(
    lm=dspy.LM(f"openai/{run.model.name}", api_base=run.model.openai_base_url, api_key="scripted", cache=False, num_retries=0)
)
signature = dspy.Signature("question -> answer", run.agent.instructions)
agent = dspy.ReAct(signature, tools=[tool.function for tool in run.agent.tools], max_iters=6)


def answer(user):
    with in_session():
        return agent(question=user).answer


play(answer)
