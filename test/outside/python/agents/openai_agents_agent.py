from agents import Agent, Runner, SQLiteSession, function_tool
from asking import ask_twice, look_up


@function_tool
def look_up_order(order: int) -> dict:
    """Looks up an order."""
    return look_up(order)


agent = Agent(name="orders", instructions="You look up orders.", model="gpt-5", tools=[look_up_order])
session = SQLiteSession("orders")


def answer(question: str) -> str:
    return Runner.run_sync(agent, question, session=session).final_output


ask_twice("openai-agents", answer)
