import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.instrumentation.openai.v1_1.OpenAITelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;

/** OpenAI's SDK for Java with OpenTelemetry's instrumentation, and an agent by hand. */
final class OpenAiJava {
  public static void main(String[] given) throws Exception {
    OpenTelemetrySdk telemetry = Driver.telemetry(false);
    Tracer tracer = telemetry.getTracer("my-agent");
    OpenAIClient client =
        OpenAITelemetry.builder(telemetry)
            .setCaptureMessageContent(true)
            .build()
            .wrap(OpenAIOkHttpClient.builder().apiKey("scripted").baseUrl(Driver.OPENAI_URL).maxRetries(0).build());
    ChatCompletionCreateParams.Builder history =
        ChatCompletionCreateParams.builder().model(Driver.MODEL).addSystemMessage(Driver.INSTRUCTIONS);
    for (JsonNode tool : Driver.AGENT.get("tools")) {
      FunctionParameters.Builder parameters = FunctionParameters.builder();
      Driver.mapOf(tool.get("parameters")).forEach((key, value) -> parameters.putAdditionalProperty(key, JsonValue.from(value)));
      history.addTool(
          ChatCompletionFunctionTool.builder()
              .function(
                  FunctionDefinition.builder()
                      .name(tool.get("name").asText())
                      .description(tool.get("description").asText())
                      .parameters(parameters.build())
                      .build())
              .build());
    }
    Driver.play(
        user -> {
          history.addUserMessage(user);
          return Driver.tracedTurn(tracer, () -> answered(client, history, tracer));
        });
  }

  private static String answered(OpenAIClient client, ChatCompletionCreateParams.Builder history, Tracer tracer)
      throws Exception {
    while (true) {
      ChatCompletionMessage message = client.chat().completions().create(history.build()).choices().get(0).message();
      history.addMessage(message);
      if (message.toolCalls().isEmpty() || message.toolCalls().get().isEmpty()) return message.content().orElse("");
      for (var call : message.toolCalls().get()) {
        var function = call.asFunction();
        String content;
        try {
          content = Driver.tracedTool(tracer, function.function().name(), function.id(), function.function().arguments());
        } catch (Driver.ToolFailure error) {
          content = "Error: " + error.getMessage();
        }
        history.addMessage(ChatCompletionToolMessageParam.builder().toolCallId(function.id()).content(content).build());
      }
    }
  }
}
