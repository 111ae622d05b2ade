from asking import ask_twice, look_up
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver


def look_up_order(order: int) -> dict:
    """Looks up an order."""
    return look_up(order)


agent = create_agent(
    ChatOpenAI(model="gpt-5"),
    [look_up_order],
    system_prompt="You look up orders.",
    name="orders",
    checkpointer=InMemorySaver(),
)


def answer(question: str) -> str:
    asked = {"messages": [{"role": "user", "content": question}]}
    return agent.invoke(asked, {"configurable": {"thread_id": "another id"}})["messages"][-1].text


ask_twice("langgraph", answer)
