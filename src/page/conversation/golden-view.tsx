/** The calls of a conversation beside the steps of its golden trace, in the words of `assay golden diff`. */
import type { ComparedStepJson, GoldenComparison, GoldenComparisons } from '../../api/golden-comparison.ts';
import type { ConversationDetail, TurnJson } from '../../api/conversation-detail.ts';
import type { DiffKind } from '../../model/golden-diff.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Table } from '../text/table.tsx';

interface GoldenViewProps {
  readonly conversation: ConversationDetail;
  /** The id of the step whose details are shown. */
  readonly chosen: string | undefined;
  readonly onStep: (stepId: string | undefined) => void;
}

export function GoldenView({ conversation, chosen, onStep }: GoldenViewProps) {
  const path = `/api/v1/golden-comparison/${encodeURIComponent(conversation.conversation_id)}`;
  const asked = useReply<GoldenComparisons>(path);
  return (
    <Here of={asked} wait="Comparing …">
      {({ comparisons }) => (
        <div class="golden">
          {comparisons.length === 0 && <p class="aside">No live suite with golden traces is for this conversation.</p>}
          {comparisons.map((comparison) => (
            <Comparison
              key={`${comparison.suite} ${comparison.turn_id ?? ''}`}
              comparison={comparison}
              turns={conversation.turn_list}
              chosen={chosen}
              onStep={onStep}
            />
          ))}
        </div>
      )}
    </Here>
  );
}

const HEADS = { Compared: '', 'Golden trace': '', 'This conversation': '' };

interface ComparisonProps extends Pick<GoldenViewProps, 'chosen' | 'onStep'> {
  readonly comparison: GoldenComparison;
  readonly turns: readonly TurnJson[];
}

function Comparison({ comparison, turns, chosen, onStep }: ComparisonProps) {
  const { suite, golden, result, because, turn_id: turn } = comparison;
  const number = turns.findIndex(({ turn_id: id }) => id === turn) + 1;
  const steps = turns.flatMap((one) => one.steps);
  const stepOf = (span: string | undefined) =>
    steps.find(({ span_id: id }) => id !== undefined && id === span)?.step_id;
  return (
    <div class="golden-comparison">
      <h4>
        {golden === undefined ? (
          'No golden trace'
        ) : (
          <span>
            {'Golden trace '}
            <SpanText text={golden.id} />
          </span>
        )}
        <span class="aside">{` of suite ${suite}${number > 0 && turns.length > 1 ? `, turn ${number}` : ''}`}</span>
      </h4>
      {golden !== undefined && golden.description !== '' && (
        <SpanText in="p" class="aside" text={golden.description} charactersMax={600} />
      )}
      {result !== undefined && golden !== undefined && <Summary result={result} mode={golden.mode} />}
      <SpanText
        in="p"
        class="aside"
        text={golden === undefined ? because : `Chosen because ${because}.`}
        charactersMax={600}
      />
      {result !== undefined && (
        <Table heads={HEADS}>
          {result.steps.map((line, index) => (
            <Line key={index} line={line} step={stepOf(line.span_id)} chosen={chosen} onStep={onStep} />
          ))}
        </Table>
      )}
    </div>
  );
}

interface SummaryProps {
  readonly result: NonNullable<GoldenComparison['result']>;
  readonly mode: string;
}

function Summary({ result, mode }: SummaryProps) {
  const {
    follows,
    trajectory_score: score,
    output,
    output_mistake: mistake,
    over_budget: over,
    is_optimal: best,
  } = result;
  const answer = {
    as_expected: 'the answer is as expected',
    wrong: `the answer is not as expected: ${mistake ?? ''}`,
    unknown: `it is not known whether the answer is as expected: ${mistake ?? ''}`,
    not_said: 'the trace does not say what the answer contains',
  }[output];
  const parts = [
    `trajectory score ${scoreText(score)}`,
    mode.replaceAll('_', ' '),
    answer,
    ...(over === null ? [] : [`it took ${over}`]),
    ...(best ? [] : ['a better alignment may exist: the search stopped at its limit']),
  ];
  return (
    <p>
      <b>{follows ? 'Follows the trace' : 'Does not follow the trace'}</b>
      {': '}
      <SpanText text={`${parts.join('; ')}.`} charactersMax={1_000} />
    </p>
  );
}

/** As `assay golden diff` marks and names them. */
const KINDS = {
  matched: { mark: '=', word: 'same' },
  wrong_arguments: { mark: '~', word: 'wrong arguments' },
  missing: { mark: '−', word: 'missing' },
  extra: { mark: '+', word: 'extra' },
  out_of_order: { mark: '!', word: 'out of order' },
  unsafe: { mark: '!', word: 'unsafe' },
} satisfies Record<DiffKind, { readonly mark: string; readonly word: string }>;

interface LineProps extends Pick<GoldenViewProps, 'chosen' | 'onStep'> {
  readonly line: ComparedStepJson;
  /** The step of the call. */
  readonly step: string | undefined;
}

function Line({ line, step, chosen, onStep }: LineProps) {
  const { kind, expected, text, notes, wrong, step: number, call } = line;
  const { mark, word } = KINDS[kind];
  const shown = <SpanText text={text} charactersMax={400} />;
  // The text of a call out of order has its place.
  const place = kind === 'out_of_order' ? undefined : call;
  return (
    <tr class={wrong ? `golden-line ${kind} wrong` : `golden-line ${kind}`}>
      <th scope="row">
        <span aria-hidden="true" class="golden-mark">
          {mark}
        </span>{' '}
        {word}
      </th>
      <td data-head="Golden trace">
        {expected === undefined ? (
          <span class="aside">no step</span>
        ) : (
          <div class="golden-cell">
            <span>{`${number ?? ''}.`}</span>
            <SpanText in="span" text={expected} charactersMax={400} />
          </div>
        )}
      </td>
      <td data-head="This conversation">
        <div class="golden-cell">
          {place !== undefined && <span>{`${place}.`}</span>}
          {step === undefined ? (
            <span class={kind === 'missing' ? 'aside' : undefined}>{shown}</span>
          ) : (
            <button
              type="button"
              class="quiet golden-call"
              aria-pressed={step === chosen}
              onClick={() => onStep(step === chosen ? undefined : step)}
            >
              {shown}
            </button>
          )}
        </div>
        {notes.length > 0 && (
          <ul class="aside">
            {notes.map((note, index) => (
              <SpanText key={index} in="li" text={note} charactersMax={400} />
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
