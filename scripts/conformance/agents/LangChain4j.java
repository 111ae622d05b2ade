import com.fasterxml.jackson.databind.JsonNode;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.openaiofficial.OpenAiOfficialChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.tool.ToolExecutor;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import java.util.LinkedHashMap;
import java.util.Map;

/** LangChain4j's AI services over OpenAI's SDK with OpenTelemetry's agent. */
final class LangChain4j {
  interface Assistant {
    String chat(String user);
  }

  public static void main(String[] given) throws Exception {
    Tracer tracer = GlobalOpenTelemetry.getTracer("my-agent");
    Map<ToolSpecification, ToolExecutor> tools = new LinkedHashMap<>();
    for (JsonNode tool : Driver.AGENT.get("tools")) {
      JsonObjectSchema.Builder parameters = JsonObjectSchema.builder();
      tool.get("parameters").get("properties").fieldNames().forEachRemaining(parameters::addStringProperty);
      ToolSpecification specification =
          ToolSpecification.builder()
              .name(tool.get("name").asText())
              .description(tool.get("description").asText())
              .parameters(parameters.build())
              .build();
      tools.put(
          specification,
          (request, memory) -> {
            try {
              return Driver.tracedTool(tracer, request.name(), request.id(), request.arguments());
            } catch (Driver.ToolFailure error) {
              return "Error: " + error.getMessage();
            } catch (Exception error) {
              throw new IllegalStateException(error);
            }
          });
    }
    Assistant assistant =
        AiServices.builder(Assistant.class)
            .chatModel(
                OpenAiOfficialChatModel.builder()
                    .baseUrl(Driver.OPENAI_URL)
                    .apiKey("scripted")
                    .modelName(Driver.MODEL)
                    .maxRetries(0)
                    .build())
            .chatMemory(MessageWindowChatMemory.withMaxMessages(50))
            .systemMessageProvider(memory -> Driver.INSTRUCTIONS)
            .tools(tools)
            .build();
    Driver.play(user -> Driver.tracedTurn(tracer, () -> assistant.chat(user)));
  }
}
