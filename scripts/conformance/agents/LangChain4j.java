import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openaiofficial.OpenAiOfficialChatRequestParameters;
import dev.langchain4j.model.openaiofficial.OpenAiOfficialChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.tool.ToolExecutor;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.instrumentation.openai.v1_1.OpenAITelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** LangChain4j's AI services over OpenAI's SDK with OpenTelemetry's instrumentation. */
final class LangChain4j {
  interface Assistant {
    String chat(String user);
  }

  /** With a client of one's own, the model is left without its defaults. */
  record Model(OpenAiOfficialChatModel model) implements ChatModel {
    @Override
    public ChatResponse doChat(ChatRequest request) {
      return model.doChat(request);
    }

    @Override
    public ChatRequestParameters defaultRequestParameters() {
      return OpenAiOfficialChatRequestParameters.builder().modelName(Driver.MODEL).build();
    }

    @Override
    public Set<Capability> supportedCapabilities() {
      return Set.of();
    }
  }

  public static void main(String[] given) throws Exception {
    OpenTelemetrySdk telemetry = Driver.telemetry(false);
    Tracer tracer = telemetry.getTracer("my-agent");
    OpenAIClient client =
        OpenAITelemetry.builder(telemetry)
            .setCaptureMessageContent(true)
            .build()
            .wrap(OpenAIOkHttpClient.builder().apiKey("scripted").baseUrl(Driver.OPENAI_URL).maxRetries(0).build());
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
            .chatModel(new Model(OpenAiOfficialChatModel.builder().openAIClient(client).modelName(Driver.MODEL).build()))
            .chatMemory(MessageWindowChatMemory.withMaxMessages(50))
            .systemMessageProvider(memory -> Driver.INSTRUCTIONS)
            .tools(tools)
            .build();
    Driver.play(user -> Driver.tracedTurn(tracer, () -> assistant.chat(user)));
  }
}
