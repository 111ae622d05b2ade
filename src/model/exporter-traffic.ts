/**
 * Exporters that nobody recorded: what turns show of each, and the entry of the configuration that follows. One tool call
 * shows that an exporter sends them. Many turns in which models speak of tools, without one, show that it does not.
 */
import type { KnownExporter } from './exporters.ts';
import type { Step } from './step.ts';
import type { ToolCall, Turn } from './turn.ts';

export interface SeenExporter {
  readonly scope: string;
  readonly turns: number;
  /** Turns in which a model was given tools, asked for one, or called one. */
  readonly speakingOfTools: number;
  /** Turns with a tool call that this exporter shows, and those of them in which one failed. */
  readonly withTools: number;
  readonly withToolErrors: number;
}

/** Without a tool call in so many turns that speak of tools, an exporter does not send them. */
export const SILENT_TURNS = 500;

/** Attributes in which a request to a model has the tools that it may call. */
const DEFINITIONS = /tool\.definitions$|^llm\.tools\.|^llm\.request\.functions\.|^ai\.prompt\.tools$/;

export function isGivenTools({ kind, attributes }: Step): boolean {
  return kind === 'llm' && [...attributes.keys()].some((key) => DEFINITIONS.test(key));
}

/** Adds what a turn shows of each of its exporters. */
export function noteExporters(seen: Map<string, SeenExporter>, { steps, toolCalls }: Turn): void {
  const ofSpan = new Map(steps.map(({ spanId, scopeName }) => [spanId, scopeName]));
  const scopeOf = ({ spanId, requestedBy }: ToolCall) =>
    [spanId, requestedBy].map((span) => (span === undefined ? undefined : ofSpan.get(span))).find(Boolean);
  const calling = new Set(toolCalls.map(scopeOf));
  const failing = new Set(toolCalls.flatMap((call) => (call.error === undefined ? [] : scopeOf(call))));
  const isSpeaking =
    calling.size > 0 ||
    steps.some((step) => isGivenTools(step) || step.model?.finishReasons.includes('tool_call') === true);
  for (const scope of new Set(steps.flatMap((step) => (step.kind === 'other' ? [] : step.scopeName)))) {
    const { turns, speakingOfTools, withTools, withToolErrors } = seen.get(scope) ?? NOTHING_SEEN;
    seen.set(scope, {
      scope,
      turns: turns + 1,
      speakingOfTools: speakingOfTools + Number(isSpeaking),
      withTools: withTools + Number(calling.has(scope)),
      withToolErrors: withToolErrors + Number(failing.has(scope)),
    });
  }
}

const NOTHING_SEEN = { turns: 0, speakingOfTools: 0, withTools: 0, withToolErrors: 0 };

/** A name that stands for itself alone in the configuration: anybody who may send spans chooses it. */
const PLAIN_SCOPE = /^[\w@/.: '+-]{1,200}$/;

/** Undefined where too little was seen, or a person has to write the entry. */
export function entryFor({
  scope,
  speakingOfTools,
  withTools,
  withToolErrors,
}: SeenExporter): KnownExporter | undefined {
  if (!PLAIN_SCOPE.test(scope)) return undefined;
  // No error was seen: that none is there shows nothing yet.
  if (withTools > 0) return { scope, lacks: withToolErrors > 0 ? [] : ['tool_errors'] };
  return speakingOfTools >= SILENT_TURNS ? { scope, lacks: ['tools'] } : undefined;
}
