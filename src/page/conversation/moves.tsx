/** Ways through a long conversation: a number for each turn, with a mark where something failed, and the next failure. */
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { counted } from '../text/format.ts';
import { type EvidenceLinks, failedIn } from './evidence.ts';

interface MovesProps {
  readonly conversation: ConversationDetail;
  readonly evidence: EvidenceLinks;
  /** Verdicts that failed and that something shows. */
  readonly failures: number;
  /** The turn that is in sight. */
  readonly shown: string | undefined;
  readonly isGolden: boolean;
  readonly onTurn: (turnId: string) => void;
  readonly onFailure: () => void;
  readonly onGolden: () => void;
}

/** A conversation of more turns shows the numbers of those in which something failed, of the first and of the last. */
const NUMBERS_MAX = 40;
const NONE: ReadonlySet<string> = new Set();

export function Moves(props: MovesProps) {
  const { conversation, evidence, failures, shown, isGolden, onTurn, onFailure, onGolden } = props;
  const { turn_list: turns, golden_suites: golden } = conversation;
  const numbered = turns.map((turn, index) => ({
    id: turn.turn_id,
    number: index + 1,
    failed: failedIn(turn, evidence, NONE).length,
  }));
  const listed =
    numbered.length <= NUMBERS_MAX
      ? numbered
      : numbered
          .filter(({ failed, number }) => failed > 0 || number === 1 || number === numbered.length)
          .slice(0, NUMBERS_MAX);
  if (turns.length <= 1 && failures === 0 && golden.length === 0) return null;
  return (
    <div class="moves">
      {turns.length > 1 && (
        <nav aria-label="Turns">
          {listed.map(({ id, number, failed }) => (
            <button
              key={id}
              type="button"
              class={failed > 0 ? 'quiet turn-number failed' : 'quiet turn-number'}
              aria-current={id === shown ? 'true' : undefined}
              title={failed > 0 ? `Turn ${number}: ${counted(failed, 'failed verdict')}` : `Turn ${number}`}
              onClick={() => onTurn(id)}
            >
              <span class="only-heard">Turn </span>
              {number}
              {failed > 0 && <span class="only-heard"> with a failure</span>}
            </button>
          ))}
        </nav>
      )}
      {failures > 0 && (
        <button type="button" class="quiet" onClick={onFailure} title="Shows one after the other (n)">
          {failures === 1 ? 'Show the failure' : `Next of ${counted(failures, 'failure')}`}
        </button>
      )}
      {golden.length > 0 && (
        <button type="button" class="quiet" aria-pressed={isGolden} onClick={onGolden}>
          {isGolden ? 'Hide the golden trace' : 'Compare with golden trace'}
        </button>
      )}
    </div>
  );
}
