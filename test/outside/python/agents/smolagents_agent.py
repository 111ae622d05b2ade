from asking import ask_twice, look_up
from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool


@tool
def look_up_order(order: int) -> dict:
    """Looks up an order.

    Args:
        order: Its number.
    """
    return look_up(order)


model = OpenAIModel("gpt-5", retry=False)
agent = ToolCallingAgent(name="orders", model=model, tools=[look_up_order], verbosity_level=LogLevel.OFF)
ask_twice("smolagents", lambda question: str(agent.run(question, reset=False)))
