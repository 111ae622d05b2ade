/** Rows in Java. A version after `@` is that of a bill of materials, or the newest that fits the others. */
import { type Row, rowIn } from '../row.ts';

const java = rowIn('java');

/** One version for all parts of OpenTelemetry, whatever others ask for. */
const OTEL = [
  'io.opentelemetry:opentelemetry-exporter-otlp@bom',
  'io.opentelemetry:opentelemetry-sdk@bom',
  // That of the newest instrumentation.
  'import:io.opentelemetry:opentelemetry-bom@1.65.0',
];
const OTEL_OPENAI = 'io.opentelemetry.instrumentation:opentelemetry-openai-java-1.1';

export const JAVA_ROWS: readonly Row[] = [
  java(
    'google-adk-java',
    'Google ADK (Java)',
    'own',
    'GoogleAdk.java',
    'gemini',
    ['com.google.adk:google-adk', ...OTEL],
    {
      handOff: 'transfer',
      env: { ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'true' },
    },
  ),
  java('openai-java-otel', 'OpenAI SDK (Java)', 'OpenTelemetry', 'OpenAiJava.java', 'openai-chat', [
    'com.openai:openai-java',
    OTEL_OPENAI,
    'com.fasterxml.jackson.core:jackson-databind',
    ...OTEL,
  ]),
  java(
    'langchain4j-otel',
    'LangChain4j',
    'OpenTelemetry Java agent',
    'LangChain4j.java',
    'openai-chat',
    [
      'dev.langchain4j:langchain4j@1.11.0',
      'io.opentelemetry.javaagent:opentelemetry-javaagent',
      'dev.langchain4j:langchain4j-open-ai-official@1.11.0-beta19',
      ...OTEL,
    ],
    {
      env: {
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_BSP_SCHEDULE_DELAY: '200',
        OTEL_BLRP_SCHEDULE_DELAY: '200',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
        // Spans of HTTP would stand around the model calls.
        OTEL_INSTRUMENTATION_OKHTTP_ENABLED: 'false',
        OTEL_INSTRUMENTATION_JAVA_HTTP_CLIENT_ENABLED: 'false',
      },
    },
  ),
  java('spring-ai', 'Spring AI', 'own', 'SpringAi.java', 'openai-chat', [
    'org.springframework.ai:spring-ai-starter-model-openai@bom',
    'org.springframework.boot:spring-boot-starter-opentelemetry@bom',
    'org.springframework.boot:spring-boot-starter-actuator@bom',
    'com.fasterxml.jackson.core:jackson-databind@bom',
    'import:org.springframework.boot:spring-boot-dependencies@4.0.7',
    'import:org.springframework.ai:spring-ai-bom@2.0.1',
  ]),
];
