from asking import ask_twice, look_up
from pydantic_ai import Agent

agent = Agent("openai-chat:gpt-5", name="orders", instructions="You look up orders.")
history = []


@agent.tool_plain
def look_up_order(order: int) -> dict:
    """Looks up an order."""
    return look_up(order)


def answer(question: str) -> str:
    result = agent.run_sync(question, message_history=list(history))
    history[:] = result.all_messages()
    return result.output


ask_twice("pydantic-ai", answer)
