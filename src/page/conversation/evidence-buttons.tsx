/** Verdicts that rest on a turn or a step, as buttons that show what else they rest on. */
import { VerdictMark } from '../text/outcome.tsx';
import type { Evidence } from './evidence.ts';

interface EvidenceButtonsProps {
  readonly words?: string;
  readonly evidence: readonly Evidence[];
  readonly onEvidence: (evidence: Evidence) => void;
}

export function EvidenceButtons({ words, evidence, onEvidence }: EvidenceButtonsProps) {
  if (evidence.length === 0) return null;
  return (
    <p class="turn-verdicts">
      {words}
      {evidence.map((one) => (
        <button key={one.key} type="button" class="quiet" onClick={() => onEvidence(one)}>
          <VerdictMark verdict={one.verdict} />
          {one.criterion}
        </button>
      ))}
    </p>
  );
}
