/** What to look at when an agent can't be started, or its first runs show nothing of what it did. */
import type { AgentTarget } from '../../drive/agent-target.ts';
import type { RunPlace, ScoredRun } from './run-case.ts';

export function whyNothingIsShown(
  { run, isUnreachable }: ScoredRun,
  known: { readonly target: AgentTarget; readonly unclaimedTraces: number; readonly place: RunPlace | undefined },
): string {
  const { target } = known;
  const first = `case ${run.case}: ${run.problem ?? 'no span came'}`;
  if (isUnreachable) return [`The agent could not be started. ${first}`, ...startHints(target)].join('\n');
  const what =
    run.end === 'no_spans'
      ? 'The agent answers, but nothing is seen of what it does.'
      : 'The agent fails before it shows a span.';
  return [`${what} ${first}`, 'Look at:', ...spanHints(target, known).map((hint) => `  - ${hint}`)].join('\n');
}

function startHints(target: AgentTarget): readonly string[] {
  switch (target.kind) {
    case 'command':
      return ['Try the command itself, in this folder: it is given to the shell as it stands.'];
    case 'module':
      return ['Try to load it by itself, with the Node that runs Assay: node <file>.'];
    case 'url':
      return ['Start the agent first, and let it listen there.'];
  }
}

function spanHints(
  target: AgentTarget,
  { unclaimedTraces, place }: { readonly unclaimedTraces: number; readonly place: RunPlace | undefined },
): readonly string[] {
  const messages =
    'an agent that can\'t export spans may answer {"messages": [...]} with its tool calls: spans are made of them';
  if (target.kind === 'url') {
    return [
      `where it exports to: start it with OTEL_EXPORTER_OTLP_ENDPOINT=${place?.otlpEndpoint ?? ''} and OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf (--otlp-port chooses another port)`,
      unclaimedTraces > 0
        ? `how its spans are told apart: ${unclaimedTraces} traces came that are of no run. It must go on with the \`traceparent\` header of the request, put \`conversation_id\` of the request on its spans as gen_ai.conversation.id, or answer {"conversation_id": …} with its own`
        : 'whether it goes on with the `traceparent` header of the request, which instrumentations of web servers do',
      messages,
    ];
  }
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = process.env;
  return [
    ...(disabled === 'true' ? ['OTEL_SDK_DISABLED, which is true: the SDK is switched off'] : []),
    ...(exporter !== undefined && exporter !== 'otlp'
      ? [`OTEL_TRACES_EXPORTER, which is ${exporter}: expected otlp`]
      : []),
    'whether the OpenTelemetry SDK is set up in it, with an OTLP exporter (over HTTP)',
    'where that exports to: it must take OTEL_EXPORTER_OTLP_ENDPOINT from the environment, rather than have an address in its code',
    target.kind === 'command'
      ? 'whether it sends its last spans before it ends: shut the SDK down, or flush it, at exit'
      : 'whether the SDK is registered as the global one, so that it can be flushed after each turn',
    messages,
  ];
}
