/** The steps of a turn as rows: the tree of its spans, with their place in time. */
import type { TranscriptStepJson, TurnJson } from '../../api/conversation-detail.ts';

export interface StepRow {
  readonly step: TranscriptStepJson;
  readonly depth: number;
  /** Shares of the turn's time. */
  readonly from: number;
  readonly length: number;
  readonly durationMs: number;
}

export function stepRows({ steps }: Pick<TurnJson, 'steps'>): readonly StepRow[] {
  const known = new Set(steps.map(({ step_id: id }) => id));
  const children = Map.groupBy(steps, ({ parent }) => (parent !== undefined && known.has(parent) ? parent : undefined));
  const times = steps.flatMap(({ began_at: began, ended_at: ended }) => [Date.parse(began), Date.parse(ended)]);
  const begin = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const span = Math.max(times.reduce((a, b) => Math.max(a, b), 0) - begin, 1);
  const rows: StepRow[] = [];
  const done = new Set<string>();
  // A stack rather than recursion: spans can be nested as deep as somebody likes.
  const pending = roots(children).map((step) => ({ step, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { step, depth } = next;
    if (done.has(step.step_id)) continue;
    done.add(step.step_id);
    const [began, ended] = [Date.parse(step.began_at), Date.parse(step.ended_at)];
    // Clocks differ between machines: a step may seem to end before it began.
    const durationMs = Math.max(ended - began, 0);
    rows.push({
      step,
      depth,
      from: (began - begin) / span,
      length: durationMs / span,
      durationMs,
    });
    pending.push(...inOrder(children.get(step.step_id) ?? []).map((child) => ({ step: child, depth: depth + 1 })));
  }
  // Spans that name each other as parents are in no tree.
  const circular = steps.filter(({ step_id: id }) => !done.has(id));
  return [...rows, ...circular.map((step) => ({ step, depth: 0, from: 0, length: 0, durationMs: 0 }))];
}

function roots(children: ReadonlyMap<string | undefined, readonly TranscriptStepJson[]>): TranscriptStepJson[] {
  return inOrder(children.get(undefined) ?? []);
}

/** The last first, because a stack gives them back in the other order. */
function inOrder(steps: readonly TranscriptStepJson[]): TranscriptStepJson[] {
  return steps
    .map((step) => ({ step, at: Date.parse(step.began_at) }))
    .sort((a, b) => b.at - a.at)
    .map(({ step }) => step);
}
