/** The expected file of a run: the events of the script, and what was sent. Nothing in it is read from spans. */
import type { AgentOffer } from './agents.ts';
import type { ModelApi } from './apis/api.ts';
import type { Framework, Variant } from './framework-file.ts';
import type { ReceivedRequest } from './receiver.ts';
import type { Scenario } from './scenarios.ts';
import type { PlayedTurn, Usage } from './script.ts';

export interface PlayedRun {
  readonly framework: Framework;
  readonly scenarioName: string;
  readonly scenario: Scenario;
  readonly variantName: string;
  readonly variant: Variant;
  readonly api: ModelApi;
  readonly agent: AgentOffer;
  readonly conversationId: string;
  readonly userId: string;
  readonly turns: readonly PlayedTurn[];
  /** The result of each turn as the application saw it. */
  readonly raised: ReadonlyMap<number, { readonly name: string; readonly message: string }>;
  readonly requests: readonly ReceivedRequest[];
}

export function expectedOf(run: PlayedRun): object {
  const turns = run.turns.map((turn, index) => expectedTurn(turn, index, run));
  const all = run.turns.flatMap(({ tools }) => tools);
  const used = sum(run.turns);
  return {
    framework: run.framework.name,
    version: run.framework.version,
    versions: run.framework.packages,
    scenario: run.scenarioName,
    variant: run.variantName,
    content_capture: run.variant.contentCapture,
    outcome: run.scenario.outcome,
    ...(run.scenario.note === undefined ? {} : { note: run.scenario.note }),
    conversation_id: run.conversationId,
    user_id: run.userId,
    conversation_id_conveyed: conveyed(run),
    agent: run.agent.name,
    system_prompt: run.agent.instructions,
    model: { requested: run.api.requestedModel, responded: run.api.respondedModel },
    api: run.api.name,
    turn_count: turns.length,
    turns,
    totals: {
      llm_calls: run.turns.reduce((total, { replies }) => total + replies.length, 0),
      tool_calls: all.length,
      tool_errors: all.filter(({ error }) => error !== undefined).length,
      input_tokens: used.input,
      output_tokens: used.output,
      cached_input_tokens: used.cached,
      reasoning_tokens: used.reasoning,
    },
    source: 'script (scripts/capture/scenarios.ts), not the spans',
    variant_note: run.variant.note,
    export: exported(run.requests),
  };
}

function expectedTurn(turn: PlayedTurn, index: number, { raised }: PlayedRun) {
  const used = sum([turn]);
  return {
    index,
    user_input: turn.user,
    final_answer: turn.finalAnswer,
    llm_calls: turn.replies.length,
    tool_calls: turn.tools,
    ...(turn.handoffs.length === 0 ? {} : { handoffs: turn.handoffs }),
    ...(turn.error === undefined
      ? {}
      : {
          error: {
            ...turn.error,
            ...(turn.error.kind === 'llm_http_error' ? { raised: raised.get(index) ?? null } : {}),
          },
        }),
    tokens: { input: used.input, output: used.output, cached_input: used.cached, reasoning: used.reasoning },
  };
}

function sum(turns: readonly PlayedTurn[]): Usage {
  const total = { input: 0, output: 0, cached: 0, reasoning: 0 };
  for (const reply of turns.flatMap(({ replies }) => replies)) {
    if (reply.kind === 'error') continue;
    total.input += reply.usage.input;
    total.output += reply.usage.output;
    total.cached += reply.usage.cached;
    total.reasoning += reply.usage.reasoning;
  }
  return total;
}

/** Whether the id is anywhere in the export: true in spans, "logs" if only there. */
function conveyed({ requests, conversationId }: PlayedRun): boolean | 'logs' {
  const has = (signal: string) =>
    requests.some((request) => request.signal === signal && JSON.stringify(request.body).includes(conversationId));
  return has('traces') ? true : has('logs') ? 'logs' : false;
}

function exported(requests: readonly ReceivedRequest[]) {
  const traces = requests.filter(({ signal }) => signal === 'traces');
  const scopes = new Set<string>();
  let spans = 0;
  for (const { body } of traces) {
    // The cast is the form of OTLP/JSON.
    const { resourceSpans = [] } = body as unknown as ExportedTraces;
    for (const { scope, spans: list = [] } of resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans)) {
      scopes.add(`${scope?.name ?? ''}@${scope?.version ?? ''}`);
      spans += list.length;
    }
  }
  return {
    requests: traces.length,
    log_requests: requests.length - traces.length,
    spans,
    scopes: [...scopes].toSorted(),
    encoding: requests[0]?.encoding ?? null,
    paths: [...new Set(requests.map(({ path }) => path))],
  };
}

interface ExportedTraces {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly {
      readonly scope?: { readonly name?: string; readonly version?: string };
      readonly spans?: readonly unknown[];
    }[];
  }[];
}
