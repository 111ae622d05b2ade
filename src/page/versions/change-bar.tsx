/**
 * A difference as a bar from nothing, with its interval as a whisker. The smallest difference that matters is
 * shaded to both sides. The words stand beside it.
 */
import type { ComparedFigures } from '../../api/comparison.ts';

const WIDTH = 160;
const HEIGHT = 20;
const MIDDLE = HEIGHT / 2;
/** A part of an interval that is further out is cut off. */
const REACH_MAX = 2;

/** How far the axis goes to either side, so that all rows have the same. */
export function reachOf(all: readonly ComparedFigures[], smallest: number): number {
  const ends = all.flatMap(({ lower, upper, change }) => [lower ?? change, upper ?? change].map(Math.abs));
  return Math.min(REACH_MAX, Math.max(2 * smallest, ...ends) * 1.05);
}

export function ChangeBar({
  compared: { change, lower, upper, word },
  reach,
  smallest,
}: {
  readonly compared: ComparedFigures;
  readonly reach: number;
  readonly smallest: number;
}) {
  const at = (value: number) => ((Math.min(reach, Math.max(-reach, value)) / reach + 1) / 2) * WIDTH;
  const [zero, end, low, high] = [at(0), at(change), at(lower ?? -reach), at(upper ?? reach)];
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class={`change-bar ${word ?? 'neither'}`} aria-hidden="true">
      {smallest > 0 && (
        <rect class="within" x={at(-smallest)} y={0} width={at(smallest) - at(-smallest)} height={HEIGHT} />
      )}
      <rect class="change" x={Math.min(zero, end)} y={MIDDLE - 5} width={Math.abs(end - zero)} height={10} />
      <path class="zero" d={`M${zero} 0V${HEIGHT}`} />
      <path class="whisker" d={`M${low} ${MIDDLE}H${high}M${low} ${MIDDLE - 4}v8M${high} ${MIDDLE - 4}v8`} />
    </svg>
  );
}
