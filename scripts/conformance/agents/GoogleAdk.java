import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.agents.LlmAgent;
import com.google.adk.models.Gemini;
import com.google.adk.runner.InMemoryRunner;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.Client;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.Part;
import io.reactivex.rxjava3.core.Single;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Google's ADK with its own telemetry. */
final class GoogleAdk {
  static final class Offered extends BaseTool {
    private final JsonNode offer;

    Offered(JsonNode offer) {
      super(offer.get("name").asText(), offer.get("description").asText());
      this.offer = offer;
    }

    @Override
    public Optional<FunctionDeclaration> declaration() {
      Object schema = Driver.mapOf(offer.get("parameters"));
      return Optional.of(
          FunctionDeclaration.builder().name(name()).description(description()).parametersJsonSchema(schema).build());
    }

    @Override
    public Single<Map<String, Object>> runAsync(Map<String, Object> args, ToolContext context) {
      return Single.fromCallable(() -> Driver.argsOf(Driver.perform(name(), args)));
    }
  }

  static LlmAgent agentOf(JsonNode offer, List<LlmAgent> subAgents) {
    Client client =
        Client.builder().apiKey("scripted").httpOptions(HttpOptions.builder().baseUrl(Driver.BASE_URL).build()).build();
    List<BaseTool> tools = new ArrayList<>();
    for (JsonNode tool : offer.get("tools")) tools.add(new Offered(tool));
    LlmAgent.Builder builder =
        LlmAgent.builder()
            .name(offer.get("name").asText())
            .description(offer.get("instructions").asText())
            .instruction(offer.get("instructions").asText())
            .model(Gemini.builder().modelName(Driver.MODEL).apiClient(client).build())
            .tools(tools)
            // Without it, a tool that throws ends the run.
            .onToolErrorCallbackSync(
                (context, tool, args, toolContext, error) -> Optional.of(Map.of("error", String.valueOf(error.getMessage()))));
    if (!subAgents.isEmpty()) builder.subAgents(subAgents);
    return builder.build();
  }

  public static void main(String[] given) throws Exception {
    Driver.telemetry(true);
    List<LlmAgent> subAgents = Driver.INNER.isNull() ? List.of() : List.of(agentOf(Driver.INNER, List.of()));
    InMemoryRunner runner = new InMemoryRunner(agentOf(Driver.AGENT, subAgents), "conformance");
    runner.sessionService().createSession("conformance", "user", Map.of(), Driver.CONVERSATION).blockingGet();
    Driver.play(
        user -> {
          Content message = Content.builder().role("user").parts(List.of(Part.fromText(user))).build();
          String said = "";
          for (var event : runner.runAsync("user", Driver.CONVERSATION, message).blockingIterable()) {
            if (event.errorMessage().isPresent()) throw new IllegalStateException(event.errorMessage().get());
            if (event.finalResponse()) said = event.stringifyContent();
          }
          return said;
        });
  }
}
