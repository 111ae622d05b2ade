import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What an agent in Java gets: the run to play, its tools, OpenTelemetry, and the turns. As driver.py and driver.mjs. */
final class Driver {
  interface Agent {
    String answer(String user) throws Exception;
  }

  interface Work<T> {
    T run() throws Exception;
  }

  static final class ToolFailure extends RuntimeException {
    ToolFailure(String message) {
      super(message);
    }
  }

  static final ObjectMapper JSON = new ObjectMapper();
  static final JsonNode SCRIPT = script();
  static final String CONVERSATION = SCRIPT.get("conversationId").asText();
  static final String MODEL = SCRIPT.get("model").get("name").asText();
  static final String BASE_URL = SCRIPT.get("model").get("baseUrl").asText();
  static final String OPENAI_URL = SCRIPT.get("model").get("openaiBaseUrl").asText();
  static final JsonNode AGENT = SCRIPT.get("agent");
  static final JsonNode INNER = SCRIPT.get("inner");
  static final String NAME = AGENT.get("name").asText();
  static final String INSTRUCTIONS = AGENT.get("instructions").asText();

  private static final List<Runnable> FLUSHES = new ArrayList<>();
  private static final Set<String> USED = new HashSet<>();
  private static int turn = -1;

  /** A batching exporter of spans and log records; call `buildAndRegisterGlobal` or `build`. */
  static OpenTelemetrySdk telemetry(boolean isGlobal) {
    String otlp = SCRIPT.get("otlp").get("url").asText();
    OtlpHttpSpanExporter spans = OtlpHttpSpanExporter.builder().setEndpoint(otlp + "/v1/traces").build();
    OtlpHttpLogRecordExporter logs = OtlpHttpLogRecordExporter.builder().setEndpoint(otlp + "/v1/logs").build();
    SdkTracerProvider tracers =
        SdkTracerProvider.builder().addSpanProcessor(BatchSpanProcessor.builder(spans).build()).build();
    SdkLoggerProvider loggers =
        SdkLoggerProvider.builder().addLogRecordProcessor(BatchLogRecordProcessor.builder(logs).build()).build();
    FLUSHES.add(() -> tracers.forceFlush().join(10, TimeUnit.SECONDS));
    FLUSHES.add(() -> loggers.forceFlush().join(10, TimeUnit.SECONDS));
    var builder = OpenTelemetrySdk.builder().setTracerProvider(tracers).setLoggerProvider(loggers);
    return isGlobal ? builder.buildAndRegisterGlobal() : builder.build();
  }

  static void onFlush(Runnable flush) {
    FLUSHES.add(flush);
  }

  /** Carries a tool out: its result as JSON text. */
  static String perform(String name, Map<String, ?> args) {
    JsonNode wanted = JSON.valueToTree(args);
    JsonNode found = null;
    for (JsonNode outcome : SCRIPT.get("turns").get(turn).get("tools")) {
      boolean isIt = outcome.get("name").asText().equals(name) && outcome.get("args").equals(wanted);
      if (isIt && (found == null || USED.contains(found.get("id").asText()))) found = outcome;
    }
    if (found == null) throw new IllegalArgumentException("the script knows no " + name + wanted);
    USED.add(found.get("id").asText());
    if (found.has("error")) throw new ToolFailure(found.get("error").asText());
    JsonNode result = found.get("result");
    return result.isTextual() ? result.asText() : result.toString();
  }

  static Map<String, Object> argsOf(String json) throws Exception {
    return JSON.readValue(json, new com.fasterxml.jackson.core.type.TypeReference<LinkedHashMap<String, Object>>() {});
  }

  static Map<String, Object> mapOf(JsonNode node) {
    return JSON.convertValue(node, new com.fasterxml.jackson.core.type.TypeReference<LinkedHashMap<String, Object>>() {});
  }

  /** The application's span around a turn. */
  static <T> T tracedTurn(Tracer tracer, Work<T> work) throws Exception {
    Span span =
        tracer
            .spanBuilder("invoke_agent " + NAME)
            .setAttribute("gen_ai.operation.name", "invoke_agent")
            .setAttribute("gen_ai.agent.name", NAME)
            .setAttribute("gen_ai.conversation.id", CONVERSATION)
            .startSpan();
    return traced(span, work);
  }

  /** The application's span around a tool. */
  static String tracedTool(Tracer tracer, String name, String callId, String args) throws Exception {
    Span span =
        tracer
            .spanBuilder("execute_tool " + name)
            .setAttribute("gen_ai.operation.name", "execute_tool")
            .setAttribute("gen_ai.tool.name", name)
            .setAttribute("gen_ai.tool.call.id", callId)
            .setAttribute("gen_ai.tool.call.arguments", args)
            .startSpan();
    return traced(
        span,
        () -> {
          String result = perform(name, argsOf(args));
          span.setAttribute("gen_ai.tool.call.result", result);
          return result;
        });
  }

  private static <T> T traced(Span span, Work<T> work) throws Exception {
    try (Scope scope = span.makeCurrent()) {
      return work.run();
    } catch (Exception error) {
      span.recordException(error);
      span.setStatus(StatusCode.ERROR, error.getMessage());
      throw error;
    } finally {
      span.end();
    }
  }

  static void play(Agent agent) throws Exception {
    int turns = SCRIPT.get("turns").size();
    for (int index = 0; index < turns; index += 1) {
      post("/turn", Map.of("index", index));
      turn = index;
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("index", index);
      try {
        outcome.put("answer", agent.answer(SCRIPT.get("turns").get(index).get("user").asText()));
      } catch (Exception error) {
        error.printStackTrace();
        outcome.put("error", Map.of("name", error.getClass().getSimpleName(), "message", String.valueOf(error.getMessage())));
      }
      post("/outcome", outcome);
      for (Runnable flush : FLUSHES) flush.run();
    }
    System.exit(0);
  }

  private static void post(String path, Object body) throws Exception {
    URI uri = URI.create(SCRIPT.get("control").asText() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))).build();
    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode script() {
    try {
      return JSON.readTree(new File(System.getenv("CAPTURE_SCRIPT")));
    } catch (java.io.IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
  }
}
