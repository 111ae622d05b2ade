/**
 * Whether a tool changes something. The first of these that knows decides:
 *
 * 1. the suite: `tools: { writes: [crm_sync], reads: [send_query] }`, and the same of its golden traces;
 * 2. the configuration, in a section of the same form;
 * 3. whether it hands the conversation over to a person (`hand-over.ts`), which changes nothing;
 * 4. the conversation's spans: MCP's `readOnlyHint` and `destructiveHint`, on a tool's span or in its definition;
 * 5. the tool's name (`effect-by-name.ts`).
 *
 * Hints are what a server says of itself, which is why people come first.
 */
import { compileGlob, type Matcher } from '../../model/glob.ts';
import type { Step } from '../../model/step.ts';
import { remembering } from '../../model/remembering.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import { effectByName, type ToolEffect } from './effect-by-name.ts';
import { type HandsOver, handsOverByDefault } from './hand-over.ts';

export type EffectOf = (tool: string) => ToolEffect;

export interface ToolEffects {
  /** Effect by people's description and by the name, for a tool without a conversation at hand. */
  readonly of: EffectOf;
  /** Effects by all that a conversation shows. Its spans are read when a tool is asked about that no setting names. */
  readonly in: (
    conversation: { readonly steps: readonly Pick<Step, 'toolEffects'>[] },
    handsOver: HandsOver,
  ) => EffectOf;
}

/** Effects by several sources, asked in their order. */
export function toolEffects(said: readonly (ToolNames | undefined)[] = []): ToolEffects {
  const layers = said.flatMap((names) => (names === undefined ? [] : [saidOf(names)]));
  const bySaying = (tool: string) => {
    for (const layer of layers) {
      const effect = layer(tool);
      if (effect !== undefined) return effect;
    }
    return undefined;
  };
  const byHandOver = (tool: string, handsOver: HandsOver) => (handsOver(tool) ? 'hands_over' : undefined);
  const of = remembering((tool) => bySaying(tool) ?? byHandOver(tool, handsOverByDefault) ?? effectByName(tool));
  return {
    of,
    in: ({ steps }, handsOver) => {
      let hints: ReadonlyMap<string, ToolEffect> | undefined;
      return remembering((tool) => {
        const known = bySaying(tool) ?? byHandOver(tool, handsOver);
        if (known !== undefined) return known;
        hints ??= hintsIn(steps);
        return hints.get(tool) ?? effectByName(tool);
      });
    },
  };
}

/** Effect of a tool as people describe it; undefined if they do not. */
export function saidOf({ writes = [], reads = [] }: ToolNames): (tool: string) => ToolEffect | undefined {
  const [writing, reading] = [writes.map(compileGlob), reads.map(compileGlob)];
  const isOne = (matchers: readonly Matcher[], tool: string) => matchers.some((matches) => matches(tool));
  return (tool) => (isOne(writing, tool) ? 'writes' : isOne(reading, tool) ? 'reads' : undefined);
}

/** A tool of which two spans disagree writes, because what may change something is checked more strictly. */
function hintsIn(steps: readonly Pick<Step, 'toolEffects'>[]): ReadonlyMap<string, ToolEffect> {
  const hints = new Map<string, ToolEffect>();
  for (const { toolEffects: said } of steps) {
    for (const [tool, effect] of said) if (effect === 'writes' || !hints.has(tool)) hints.set(tool, effect);
  }
  return hints;
}
