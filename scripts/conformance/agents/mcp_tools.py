"""The MCP SDK's own spans of tools, beside OpenTelemetry's of OpenAI's SDK; an agent by hand."""
import json

from driver import instrument, play, run, start_telemetry, traced_turn

provider = start_telemetry()
instrument(provider)

from mcp import Client
from mcp.server.mcpserver import MCPServer
from openai import AsyncOpenAI

tracer = provider.get_tracer("my-agent")
model = AsyncOpenAI(max_retries=0)
server = MCPServer("orders")
for offer in run.agent.tools:
    server.add_tool(offer.function, name=offer.name, description=offer.description, structured_output=False)
offered = [
    {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
    for t in run.agent.tools
]
history = [{"role": "system", "content": run.agent.instructions}]


async def result_of(client, call):
    result = await client.call_tool(call.function.name, json.loads(call.function.arguments))
    return "".join(block.text for block in result.content)


async def answer(user):
    history.append({"role": "user", "content": user})
    with traced_turn(tracer):
        async with Client(server) as client:
            while True:
                asked = {"model": run.model.name, "messages": list(history), "tools": offered}
                message = (await model.chat.completions.create(**asked)).choices[0].message
                history.append(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    return message.content
                for call in message.tool_calls:
                    content = await result_of(client, call)
                    history.append({"role": "tool", "tool_call_id": call.id, "content": content})


play(answer)
