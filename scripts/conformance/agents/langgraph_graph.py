"""A LangGraph graph by hand: a model node, a tool node, and a second agent to hand over to."""
from driver import as_text, in_session, instrument, play, run, start_telemetry

instrument(start_telemetry())

from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

HAND_OVER = f"transfer_to_{run.inner.name}" if run.inner else None


def tool_of(offer):
    return StructuredTool.from_function(
        lambda **args: as_text(offer.execute(**args)),
        name=offer.name,
        description=offer.description,
        args_schema=offer.parameters,
        infer_schema=False,
    )


def agent_nodes(graph, offer, hands_over):
    tools = {tool.name: tool for tool in map(tool_of, offer.tools)}
    known = list(tools.values())
    if hands_over:
        known.append(StructuredTool.from_function(lambda: "done", name=HAND_OVER, description="Hands over."))
    model = ChatOpenAI(model=run.model.name, max_retries=0).bind_tools(known)

    def think(state, config):
        message = model.invoke([SystemMessage(offer.instructions), *state["messages"]], config)
        if not message.tool_calls:
            return Command(goto=END, update={"messages": [message]})
        if message.tool_calls[0]["name"] == HAND_OVER:
            done = ToolMessage("Handed over.", tool_call_id=message.tool_calls[0]["id"])
            return Command(goto=run.inner.name, update={"messages": [message, done]})
        return Command(goto=f"{offer.name}_tools", update={"messages": [message]})

    def act(state, config):
        results = []
        for call in state["messages"][-1].tool_calls:
            try:
                results.append(tools[call["name"]].invoke(call, config))
            except RuntimeError as error:
                told = f"{type(error).__name__}: {error}"
                results.append(ToolMessage(told, tool_call_id=call["id"], status="error"))
        return Command(goto=offer.name, update={"messages": results})

    graph.add_node(offer.name, think)
    graph.add_node(f"{offer.name}_tools", act)


graph = StateGraph(MessagesState)
agent_nodes(graph, run.agent, run.inner is not None)
if run.inner:
    agent_nodes(graph, run.inner, False)
graph.add_edge(START, run.agent.name)
agent = graph.compile(checkpointer=InMemorySaver(), name=run.agent.name)


def answer(user):
    with in_session():
        asked = {"messages": [{"role": "user", "content": user}]}
        return agent.invoke(asked, {"configurable": {"thread_id": run.conversation_id}})["messages"][-1].text


play(answer)
