"""Google's SDK, with an agent by hand."""
from driver import as_text, in_session, instrument, play, run, start_telemetry, traced_tool, traced_turn

provider = start_telemetry()
instrument(provider)

from google import genai
from google.genai import types

tracer = provider.get_tracer("my-agent")
client = genai.Client(api_key="scripted", http_options=types.HttpOptions(base_url=run.model.base_url))
declared = [
    {"name": t.name, "description": t.description, "parameters_json_schema": t.parameters} for t in run.agent.tools
]
config = types.GenerateContentConfig(
    system_instruction=run.agent.instructions,
    tools=[{"function_declarations": declared}],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
tools = {tool.name: tool for tool in run.agent.tools}
history = []


def answered(call):
    try:
        response = {"result": as_text(traced_tool(tracer, tools[call.name], call.args, call.id))}
    except RuntimeError as error:
        response = {"error": f"{type(error).__name__}: {error}"}
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response))


def answer(user):
    history.append(types.Content(role="user", parts=[types.Part(text=user)]))
    with in_session(), traced_turn(tracer):
        while True:
            response = client.models.generate_content(model=run.model.name, contents=list(history), config=config)
            history.append(response.candidates[0].content)
            calls = response.function_calls
            if not calls:
                return response.text
            history.append(types.Content(role="user", parts=[answered(call) for call in calls]))


play(answer)
