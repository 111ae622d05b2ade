/** The verdicts of the latest revision: those that failed first, those that passed in as little room as possible. */
import type { FullEvaluation, TurnJson, VerdictOfCriterion } from '../../api/conversation-detail.ts';
import { decisionOf } from '../../model/decision.ts';
import type { VerdictKind } from '../../model/evaluation.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { countText, counted, percent, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark, withOutcomeWords } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { verdictKey } from './evidence.ts';
import { ShadowLine, shadowOf } from './shadow-line.tsx';

interface VerdictsProps {
  readonly evaluations: readonly FullEvaluation[];
  /** Also those in shadow. */
  readonly all: readonly FullEvaluation[];
  readonly turns: readonly TurnJson[];
  readonly chosen: string | undefined;
  readonly onVerdict: (evaluation: FullEvaluation, verdict: VerdictOfCriterion) => void;
}

/** The order of verdicts, and whether one needs no attention. */
const STANDING = {
  fail: { place: 0, isFine: false },
  error: { place: 1, isFine: false },
  skipped: { place: 2, isFine: false },
  pass: { place: 3, isFine: true },
  not_applicable: { place: 4, isFine: true },
} satisfies Record<VerdictKind, { readonly place: number; readonly isFine: boolean }>;

const EVALUATIONS_SHOWN = 10;
const GRADED_SHOWN = 50;

/** `3 passed, 1 not applicable`. */
export function countedFine(fine: readonly Pick<VerdictOfCriterion, 'verdict'>[]): string {
  const passed = fine.filter(({ verdict }) => decisionOf(verdict) === 'pass').length;
  const others = fine.length - passed;
  return [
    ...(passed > 0 ? [`${countText(passed)} passed`] : []),
    ...(others > 0 ? [`${countText(others)} not applicable`] : []),
  ].join(', ');
}

export function needsNoAttention(verdict: VerdictKind): boolean {
  return STANDING[verdict].isFine;
}

export function Verdicts({ evaluations, all, turns, chosen, onVerdict }: VerdictsProps) {
  const inOrder = evaluations.toSorted((a, b) => Number(isOf(b, chosen)) - Number(isOf(a, chosen)));
  const rows = inOrder.length > EVALUATIONS_SHOWN ? inOrder : evaluations;
  return (
    <section class="verdicts" aria-label="Verdicts">
      {evaluations.length === 0 && <p class="aside">No suite has scored it.</p>}
      <SomeFirst of={rows} atATime={EVALUATIONS_SHOWN}>
        {(shown) =>
          shown.map((evaluation) => (
            <Evaluation
              key={`${evaluation.suite} ${evaluation.turn_id ?? ''}`}
              evaluation={evaluation}
              shadow={shadowOf(evaluation, all)}
              turns={turns}
              chosen={chosen}
              onVerdict={onVerdict}
            />
          ))
        }
      </SomeFirst>
    </section>
  );
}

type ListProps = Pick<VerdictsProps, 'chosen' | 'onVerdict'> & { readonly evaluation: FullEvaluation };
type EvaluationProps = ListProps & Pick<VerdictsProps, 'turns'> & { readonly shadow: FullEvaluation | undefined };

function Evaluation({ shadow, turns, ...list }: EvaluationProps) {
  const { evaluation } = list;
  const { suite, turn_id: turn, outcome, because, score, findings } = evaluation;
  const explanation = withOutcomeWords(withoutVerdicts(evaluation.explanation));
  return (
    <div class="evaluation">
      <h3>
        <SpanText text={suite} />
        <span class="aside">{` version ${evaluation.suite_version}`}</span>
        <span class="evaluation-score">
          <OutcomeMark outcome={outcome} because={because} />
          {score === null ? '' : scoreText(score)}
        </span>
      </h3>
      {turn !== undefined && turns.length > 1 && <p class="aside">{turnName(turn, turns)}</p>}
      <SpanText in="p" class="explanation" text={explanation} charactersMax={1_000} />
      {limitsOf(evaluation).map((limit) => (
        <p key={limit} class="limits">
          {limit}
        </p>
      ))}
      <VerdictList {...list} />
      {findings.map(({ finding, reason }) => (
        <p key={finding} class="finding">
          <b>{finding.replaceAll('_', ' ')}</b>
          {': '}
          <SpanText text={reason} charactersMax={1_000} />
        </p>
      ))}
      {shadow !== undefined && <ShadowLine live={evaluation} shadow={shadow} />}
    </div>
  );
}

/** The bounds of what the evaluation can say. */
function limitsOf({ about, decided_share: decided = 1, waits_for: waits = [] }: FullEvaluation): string[] {
  const { limit } = wordsOf(about);
  return [
    ...(limit === undefined ? [] : [limit]),
    ...(decided < 1 ? [`${percent(1 - decided, 0)} of the weight could not be decided.`] : []),
    ...(waits.length > 0 ? [`Waits for a judge: ${waits.join(', ')}.`] : []),
  ];
}

/** The chosen verdict comes from a link, and is there without a search. */
function isOf(evaluation: FullEvaluation, chosen: string | undefined): boolean {
  return chosen !== undefined && evaluation.verdicts.some((one) => verdictKey(evaluation, one) === chosen);
}

/** The sentence ends with the criteria that failed, which stand below it with their reasons. */
function withoutVerdicts(explanation: string): string {
  const [first = explanation, rest] = explanation.split('; failed: ', 2);
  return rest === undefined ? explanation : `${first}.`;
}

function turnName(turn: string, turns: readonly TurnJson[]): string {
  const index = turns.findIndex(({ turn_id: id }) => id === turn);
  return index < 0 ? 'Of a turn that is not stored' : `Of turn ${index + 1}`;
}

/** Verdicts that are fine take one line, until somebody asks for them. */
function VerdictList({ evaluation, chosen, onVerdict }: ListProps) {
  const { verdicts } = evaluation;
  const sorted = verdicts.toSorted(
    (a, b) => STANDING[a.verdict].place - STANDING[b.verdict].place || (b.weight ?? 0) - (a.weight ?? 0),
  );
  const isFine = ({ verdict }: VerdictOfCriterion) => needsNoAttention(verdict);
  const line = (verdict: VerdictOfCriterion) => (
    <VerdictLine
      key={verdict.criterion}
      evaluation={evaluation}
      verdict={verdict}
      chosen={chosen}
      onVerdict={onVerdict}
    />
  );
  const fine = sorted.filter(isFine);
  return (
    <div class="verdict-list">
      <ul>{sorted.filter((one) => !isFine(one)).map(line)}</ul>
      {fine.length > 0 && (
        <details open={fine.some((one) => verdictKey(evaluation, one) === chosen)}>
          <summary>{countedFine(fine)}</summary>
          <ul>{fine.map(line)}</ul>
        </details>
      )}
    </div>
  );
}

function VerdictLine({ evaluation, verdict, chosen, onVerdict }: ListProps & { readonly verdict: VerdictOfCriterion }) {
  const key = verdictKey(evaluation, verdict);
  const {
    evidence,
    criterion,
    weight,
    critical,
    reason,
    question,
    judged_by: judge,
    sub_agents: subAgents = [],
  } = verdict;
  const shows = evidence.length > 0;
  const judgedBy =
    judge === undefined ? '' : `judged by ${judge.judge}${judge.model === undefined ? '' : ` (${judge.model})`}`;
  return (
    <li class={key === chosen ? `verdict ${verdict.verdict} chosen` : `verdict ${verdict.verdict}`}>
      <button
        type="button"
        class="verdict-name"
        aria-pressed={shows ? key === chosen : undefined}
        disabled={!shows}
        title={shows ? 'Show the spans that it rests on' : 'No span shows it'}
        onClick={() => onVerdict(evaluation, verdict)}
      >
        <VerdictMark verdict={verdict.verdict} />
        <SpanText in="b" text={criterion} />
        {critical === true && <span class="aside">critical</span>}
        <span class="verdict-weight">{weight === undefined ? '' : percent(weight, 0)}</span>
      </button>
      {question !== undefined && <SpanText in="p" class="question" text={question} charactersMax={600} />}
      <SpanText in="p" class="reason" text={reason} charactersMax={2_000} />
      {(shows || judge !== undefined) && (
        <p class="aside">
          {shows ? counted(evidence.length, 'span') : ''}
          {subAgents.length > 0 && <SpanText text={` by ${subAgents.join(', ')}`} charactersMax={200} />}
          {` ${judgedBy}`}
        </p>
      )}
      {verdict.steps !== undefined && <GradedSteps steps={verdict.steps} />}
    </li>
  );
}

function GradedSteps({ steps }: { readonly steps: NonNullable<VerdictOfCriterion['steps']> }) {
  return (
    <div>
      <SomeFirst of={steps} atATime={GRADED_SHOWN}>
        {(shown) => (
          <ol class="graded">
            {shown.map(({ step, tool, score, reason }) => (
              <li key={step} value={step}>
                <SpanText in="b" text={tool} />
                {` ${countText(score)}: `}
                <SpanText text={reason} />
              </li>
            ))}
          </ol>
        )}
      </SomeFirst>
    </div>
  );
}
