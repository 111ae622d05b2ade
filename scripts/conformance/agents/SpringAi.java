import com.fasterxml.jackson.databind.JsonNode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.MessageChatMemoryAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.DefaultToolDefinition;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Spring AI's chat client with Spring Boot's own observations. */
// No scan for components: in the package without a name it would find all of Spring.
@SpringBootConfiguration
@EnableAutoConfiguration
public class SpringAi {
  record Offered(JsonNode offer) implements ToolCallback {
    @Override
    public ToolDefinition getToolDefinition() {
      return DefaultToolDefinition.builder()
          .name(offer.get("name").asText())
          .description(offer.get("description").asText())
          .inputSchema(offer.get("parameters").toString())
          .build();
    }

    @Override
    public String call(String input) {
      try {
        return Driver.perform(offer.get("name").asText(), Driver.argsOf(input));
      } catch (Driver.ToolFailure error) {
        throw new org.springframework.ai.tool.execution.ToolExecutionException(getToolDefinition(), error);
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }
  }

  public static void main(String[] given) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("spring.application.name", Driver.SCRIPT.get("serviceName").asText());
    settings.put("spring.main.web-application-type", "none");
    settings.put("spring.main.banner-mode", "off");
    settings.put("spring.ai.openai.api-key", "scripted");
    settings.put("spring.ai.openai.base-url", Driver.SCRIPT.get("settings").path("bareUrl").asBoolean() ? Driver.BASE_URL : Driver.OPENAI_URL);
    settings.put("spring.ai.openai.max-retries", "0");
    settings.put("spring.ai.openai.chat.options.model", Driver.MODEL);
    settings.put("spring.ai.openai.chat.model", Driver.MODEL);
    settings.put("spring.ai.retry.max-attempts", "1");
    settings.put("spring.ai.chat.observations.log-prompt", "true");
    settings.put("spring.ai.chat.observations.log-completion", "true");
    settings.put("spring.ai.chat.client.observations.log-prompt", "true");
    settings.put("spring.ai.chat.client.observations.log-completion", "true");
    settings.put("spring.ai.tools.observations.include-content", "true");
    settings.put("management.tracing.sampling.probability", "1.0");
    String traces = Driver.SCRIPT.get("otlp").get("url").asText() + "/v1/traces";
    settings.put("management.otlp.tracing.endpoint", traces);
    settings.put("management.opentelemetry.tracing.export.otlp.endpoint", traces);
    settings.put("management.otlp.metrics.export.enabled", "false");
    SpringApplication application = new SpringApplication(SpringAi.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setDefaultProperties(settings);
    var context = application.run();
    for (SdkTracerProvider provider : context.getBeansOfType(SdkTracerProvider.class).values())
      Driver.onFlush(() -> provider.forceFlush().join(10, TimeUnit.SECONDS));
    List<ToolCallback> tools = new ArrayList<>();
    for (JsonNode tool : Driver.AGENT.get("tools")) tools.add(new Offered(tool));
    ChatMemory memory = MessageWindowChatMemory.builder().maxMessages(50).build();
    ChatClient client =
        context
            .getBean(ChatClient.Builder.class)
            .defaultSystem(Driver.INSTRUCTIONS)
            .defaultAdvisors(MessageChatMemoryAdvisor.builder(memory).build())
            .defaultToolCallbacks(tools)
            .build();
    Driver.play(
        user ->
            client
                .prompt()
                .user(user)
                .advisors(advisor -> advisor.param(ChatMemory.CONVERSATION_ID, Driver.CONVERSATION))
                .call()
                .content());
  }
}
