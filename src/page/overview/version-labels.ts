/** Names of versions below their lines in the trend: where versions came together, they share one label. */

interface VersionMark {
  /** Position of the line. */
  readonly x: number;
  readonly version: string;
}

interface VersionLabel {
  readonly words: string;
  /** Its left edge. */
  readonly left: number;
}

interface Room {
  /** The right edge of the chart. */
  readonly end: number;
  readonly gap: number;
  readonly widthOf: (words: string) => number;
}

const NAMED_MAX = 2;
const CHARACTERS_MAX = 16;

/** Labels that do not meet: the one that would is joined to the one before. */
export function versionLabels(marks: readonly VersionMark[], room: Room): readonly VersionLabel[] {
  let groups = marks.toSorted((a, b) => a.x - b.x).map((mark) => [mark]);
  for (;;) {
    const labels = groups.map((group) => labelOf(group, room));
    const meets = labels.findIndex(({ left }, index) => {
      const before = labels[index - 1];
      return before !== undefined && left < before.left + room.widthOf(before.words) + room.gap;
    });
    if (meets < 0) return labels;
    groups = [...groups.slice(0, meets - 1), groups.slice(meets - 1, meets + 1).flat(), ...groups.slice(meets + 1)];
  }
}

/** Right of the first line; left of the last one where the chart ends. */
function labelOf(group: readonly VersionMark[], { end, gap, widthOf }: Room): VersionLabel {
  const more = group.length - NAMED_MAX;
  const named = group.slice(0, NAMED_MAX).map(({ version }) => shortened(version));
  const words = named.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const width = widthOf(words);
  const [first, last] = [group[0]?.x ?? 0, group.at(-1)?.x ?? 0];
  const isNearEnd = first + gap + width + gap > end;
  return { words, left: isNearEnd ? last - gap - width : first + gap };
}

function shortened(version: string): string {
  return version.length > CHARACTERS_MAX ? `${version.slice(0, CHARACTERS_MAX - 1).toWellFormed()}…` : version;
}
