/**
 * Golden traces that conversations were compared with. The reasons of golden checks name the trace, so evaluations show
 * it wherever they are kept: in a store, in an experiment, without the suite's files.
 */
import { counted } from './counted.ts';
import type { Evaluation } from './evaluation.ts';
import type { ExperimentResult } from './experiment.ts';

interface SuiteWithTraces {
  readonly name: string;
  /** Ids of its approved traces. */
  readonly golden: readonly string[];
}

type Compared = Pick<Evaluation, 'suite' | 'conversationId' | 'verdicts'>;

/** The name of a trace in every reason of a check that compared a conversation with it. */
export function goldenTrace(id: string): string {
  return `golden trace ${id}`;
}

/** The beginning of a reason why a conversation is compared with no trace. */
export const NO_GOLDEN_TRACE = 'No golden trace is for this conversation: ';

const NAMED_MAX = 5;

/** A sentence for each suite with traces that none of its evaluations was compared with. */
export function unusedTraces(
  suites: readonly SuiteWithTraces[],
  evaluations: readonly Compared[],
  of: 'run' | 'conversation',
): readonly string[] {
  return suites.flatMap(({ name, golden }) => {
    const own = golden.length === 0 ? [] : evaluations.filter(({ suite }) => suite === name);
    const verdicts = own.flatMap((one) => [...one.verdicts.values()]);
    // A judge's reasons for the grades of steps name no trace.
    if (own.length === 0 || verdicts.some((verdict) => 'steps' in verdict)) return [];
    const conversations = new Set(own.map(({ conversationId }) => conversationId));
    const reasons = new Set(verdicts.map(({ reason }) => reason));
    const unused = golden.filter((id) => ![...reasons].some((reason) => names(reason, id)));
    if (unused.length === 0) return [];
    const more = unused.length > NAMED_MAX ? ` and ${unused.length - NAMED_MAX} more` : '';
    const which = `${unused.length === 1 ? 'golden trace' : 'golden traces'} ${unused.slice(0, NAMED_MAX).join(', ')}${more}`;
    const why = [...reasons].find((reason) => reason.startsWith(NO_GOLDEN_TRACE))?.slice(NO_GOLDEN_TRACE.length);
    return `${which} of ${name} ${unused.length === 1 ? 'was' : 'were'} compared with 0 of ${counted(conversations.size, of)}${why === undefined ? '' : ` (${why.replace(/\.$/, '')})`}: put \`*\` into \`input\`, or name the trace by \`golden\` in the truth or by a scenario`;
  });
}

/** Golden traces that no run of an experiment used. */
export function unusedTracesOf({ experiment, runs }: ExperimentResult): readonly string[] {
  const suites = experiment.suites.map(({ name, golden = [] }) => ({ name, golden }));
  return unusedTraces(
    suites,
    runs.flatMap(({ evaluations }) => evaluations),
    'run',
  );
}

/** An id may be the beginning of another one. */
function names(reason: string, id: string): boolean {
  const text = goldenTrace(id);
  const inside = reason.replace(/^Golden/, 'golden');
  const at = inside.indexOf(text);
  return at >= 0 && !/^(?:[\w-]|\.\w)/.test(inside.slice(at + text.length));
}
