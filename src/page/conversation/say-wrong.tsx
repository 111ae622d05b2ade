/** An answer to a verdict where it stands: it is right, or it is wrong, and why. It is kept as given with the verdict in sight. */
import { useState } from 'preact/hooks';
import { decisionOf } from '../../model/decision.ts';
import type { LabelJson } from '../../api/conversation-detail.ts';
import type { LabelKind } from '../../model/labels.ts';
import { leaveField } from '../shell/keys.ts';
import { putLabel } from '../review/put-label.ts';
import { useWhoLabels } from '../review/who-labels.tsx';
import { VerdictMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import type { Given } from './suite-verdicts.ts';

const NOTE_MAX = 2_000;
const OPPOSITE = { pass: 'fail', fail: 'pass' } as const;

interface SayWrongProps {
  readonly conversation: string;
  readonly given: Given;
}

export function SayWrong({ labels, ...props }: SayWrongProps & { readonly labels: readonly LabelJson[] }) {
  const [isOpen, setOpen] = useState(false);
  const [said, setSaid] = useState<string | undefined>();
  if (said !== undefined) return <span class="aside" role="status">{` ${said}`}</span>;
  return (
    <>
      {labels
        .filter((label) => isOf(label, props.given))
        .map((label) => (
          <p key={label.label_id} class="aside">
            <VerdictMark verdict={label.label} />
            <SpanText text={`${label.by} says ${label.label.replaceAll('_', ' ')}`} charactersMax={120} />
          </p>
        ))}
      {isOpen ? (
        <Form {...props} onClose={() => setOpen(false)} onSaid={setSaid} />
      ) : (
        <button type="button" class="quiet say-wrong" onClick={() => setOpen(true)}>
          Right?
        </button>
      )}
    </>
  );
}

function isOf({ suite, criterion, turn_id: turn }: LabelJson, { evaluation, verdict }: Given): boolean {
  return suite === evaluation.suite && criterion === verdict.criterion && turn === evaluation.turn_id;
}

interface FormProps extends SayWrongProps {
  readonly onClose: () => void;
  readonly onSaid: (words: string) => void;
}

function Form({ conversation, given, onClose, onSaid }: FormProps) {
  const { by, name, note: whyNot } = useWhoLabels();
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const decision = decisionOf(given.verdict.verdict) ?? 'pass';
  const put = (label: LabelKind) => {
    const { suite, turn_id: turn } = given.evaluation;
    const { criterion } = given.verdict;
    putLabel({ conversation, suite, criterion, turn, label, by, note: note.trim(), seen: true }).then(
      (reply) => (reply.is === 'here' ? onSaid('Kept, with your name.') : setProblem(reply.why)),
      () => setProblem('It was not kept.'),
    );
  };
  const opposite = OPPOSITE[decision];
  return (
    <div class="say-wrong-form">
      {name}
      {whyNot}
      <input
        type="text"
        aria-label="Why"
        placeholder="why (may be left out)"
        maxLength={NOTE_MAX}
        value={note}
        onKeyDown={leaveField}
        onInput={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <button type="button" disabled={by === ''} onClick={() => put(opposite)}>
        {`Wrong: it is a ${opposite}`}
      </button>
      <button type="button" disabled={by === ''} onClick={() => put(decision)}>
        It is right
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
      <p class="aside">
        You have seen the verdict, so this counts in no agreement. Labels that do are given under Review.
      </p>
      {problem !== undefined && <p class="failure">{problem}</p>}
    </div>
  );
}
