/** Hints for an agent that cannot be started, or whose first runs sent no spans. */
import type { AgentTarget } from '../../agent-runner/agent-target.ts';
import type { AgentPlaces } from './agent-places.ts';
import type { ScoredRun } from './run-case.ts';

export function whyNothingIsShown(
  { run, isUnreachable }: ScoredRun,
  { target, places }: { readonly target: AgentTarget; readonly places: AgentPlaces },
): string {
  const first = `case ${run.case}: ${run.problem ?? 'no span came'}`;
  if (isUnreachable) return [`The agent could not be started. ${first}`, ...startHints(target)].join('\n');
  const what =
    run.end === 'no_spans'
      ? 'The agent answers, but nothing is seen of what it does.'
      : 'The agent fails before it shows a span.';
  return [`${what} ${first}`, 'Look at:', ...spanHints(target, places).map((hint) => `  - ${hint}`)].join('\n');
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

function spanHints(target: AgentTarget, { places, routes, refused }: AgentPlaces): readonly string[] {
  const messages =
    'an agent that can\'t export spans may answer {"messages": [...]} with its tool calls: spans are made of them';
  const notOtlp = refused.some((reason) => reason === 'malformed' || reason.startsWith('unsupported'))
    ? ['the protocol of its exporter: what came here is not OTLP over HTTP; an exporter for gRPC looks so']
    : [];
  const unclaimedTraces = routes.reduce((sum, { unclaimed }) => sum + unclaimed, 0);
  if (target.kind === 'url') {
    return [
      ...notOtlp,
      `where it exports to: start it with OTEL_EXPORTER_OTLP_ENDPOINT=${places[0]?.otlpEndpoint ?? ''} and OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf (--otlp-port chooses another port)`,
      unclaimedTraces > 0
        ? `how its spans are told apart: ${unclaimedTraces} traces came that are of no run. It must go on with the \`traceparent\` header of the request, put \`conversation_id\` of the request on its spans as gen_ai.conversation.id, or answer {"conversation_id": …} with its own`
        : 'whether it goes on with the `traceparent` header of the request, which instrumentations of web servers do',
      messages,
    ];
  }
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = process.env;
  return [
    ...notOtlp,
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
