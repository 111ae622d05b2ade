/** The verdicts of the latest revision, a panel for each suite: criteria that failed first, each with the turns it failed in. */
import type { ComponentChildren } from 'preact';
import type {
  ConversationDetail,
  FullEvaluation,
  TurnJson,
  VerdictOfCriterion,
} from '../../api/conversation-detail.ts';
import { decisionOf } from '../../model/decision.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { countText, counted, percent, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark, withOutcomeWords } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { verdictKey } from './evidence.ts';
import { verdictAnchor } from './in-sight.ts';
import { ShadowLine, shadowOf } from './shadow-line.tsx';
import {
  type CriterionVerdicts,
  countedFine,
  type Given,
  needsNoAttention,
  type SuiteVerdicts,
  suiteVerdicts,
} from './suite-verdicts.ts';

interface VerdictsProps {
  /** The latest revision. */
  readonly evaluations: readonly FullEvaluation[];
  /** Also those in shadow. */
  readonly all: readonly FullEvaluation[];
  readonly turns: ConversationDetail['turn_list'];
  readonly chosen: string | undefined;
  readonly onVerdict: (evaluation: FullEvaluation, verdict: VerdictOfCriterion) => void;
  /** Shown with each verdict that was decided. */
  readonly beside?: (given: Given) => ComponentChildren;
}

const SUITES_SHOWN = 10;
const GIVEN_SHOWN = 5;
const FINDINGS_SHOWN = 10;
const GRADED_SHOWN = 50;

export function Verdicts({ evaluations, ...props }: VerdictsProps) {
  const { turns, chosen } = props;
  const suites = suiteVerdicts(evaluations, turns);
  const isChosen = ({ evaluations: of }: SuiteVerdicts) => of.some((one) => hasChosen(one, chosen));
  const inOrder = suites.length > SUITES_SHOWN ? suites.toSorted((a, b) => +isChosen(b) - +isChosen(a)) : suites;
  return (
    <section class="verdicts" aria-label="Verdicts">
      {suites.length === 0 && <p class="aside">No suite has scored it.</p>}
      {limitsOf(suites).map((limit) => (
        <p key={limit} class="limits">
          {limit}
        </p>
      ))}
      <SomeFirst of={inOrder} atATime={SUITES_SHOWN}>
        {(shown) => shown.map((of) => <Suite key={`${of.suite} ${of.version}`} of={of} {...props} />)}
      </SomeFirst>
    </section>
  );
}

type SuiteProps = Omit<VerdictsProps, 'evaluations'> & { readonly of: SuiteVerdicts };

function Suite({ of, all, ...props }: SuiteProps) {
  const { suite, version, worst, evaluations, criteria } = of;
  const { turns, chosen } = props;
  const open = criteria.filter((one) => one.open.length > 0);
  const fine = criteria.filter((one) => one.open.length === 0);
  const row = (one: CriterionVerdicts) => <Criterion key={one.criterion} of={one} {...props} />;
  const shadows = evaluations.flatMap((live) => {
    const shadow = shadowOf(live, all);
    return shadow === undefined ? [] : [{ live, shadow }];
  });
  return (
    <div class="evaluation">
      <h3>
        <SpanText text={suite} />
        <span class="aside">{` version ${version}`}</span>
        <span class="evaluation-score">
          <OutcomeMark outcome={worst.outcome} because={worst.because} />
          {worst.score === null ? '' : scoreText(worst.score)}
        </span>
      </h3>
      {evaluations.length > 1 && <OutcomesOfTurns evaluations={evaluations} />}
      <SpanText
        in="p"
        class="explanation"
        text={`${turnName(worst, props.turns)}${withOutcomeWords(withoutVerdicts(worst.explanation))}`}
        charactersMax={1_000}
      />
      {undecidedOf(evaluations).map((words) => (
        <p key={words} class="aside">
          {words}
        </p>
      ))}
      <div class="verdict-list">
        <ul>{open.map(row)}</ul>
        {fine.length > 0 && (
          <details open={fine.some((one) => one.fine.some((given) => keyOf(given) === chosen))}>
            <summary>{countedFine(fine.flatMap((one) => one.fine.slice(0, 1).map(({ verdict }) => verdict)))}</summary>
            <ul>{fine.map(row)}</ul>
          </details>
        )}
      </div>
      <Findings evaluations={evaluations} turns={turns} />
      <SomeFirst of={shadows} atATime={GIVEN_SHOWN}>
        {(shown) =>
          shown.map(({ live, shadow }) => <ShadowLine key={live.turn_id ?? ''} live={live} shadow={shadow} />)
        }
      </SomeFirst>
    </div>
  );
}

/** `8 turns: ✕ hard failure 1, no fault found 7`. */
function OutcomesOfTurns({ evaluations }: Pick<SuiteVerdicts, 'evaluations'>) {
  const counts = Map.groupBy(evaluations, ({ outcome }) => outcome);
  return (
    <p class="head-facts">
      <span>{`${counted(evaluations.length, 'turn')}:`}</span>
      {[...counts].map(([outcome, of]) => (
        <span key={outcome} class="outcome-count">
          <OutcomeMark outcome={outcome} /> {countText(of.length)}
        </span>
      ))}
    </p>
  );
}

/** The bounds of what the suites can say, each once, with the suites that it is true of where it is not true of all. */
function limitsOf(suites: readonly SuiteVerdicts[]): string[] {
  const limits = Map.groupBy(suites, ({ worst }) => wordsOf(worst.about).limit);
  return [...limits].flatMap(([limit, of]) => {
    if (limit === undefined) return [];
    const names = of.map(({ suite }) => suite).join(', ');
    return [of.length === suites.length ? limit : `${names}: ${limit}`];
  });
}

function undecidedOf(evaluations: readonly FullEvaluation[]): string[] {
  const undecided = evaluations.map(({ decided_share: decided = 1 }) => 1 - decided);
  const [low, high] = [Math.min(...undecided), Math.max(...undecided)];
  const waits = new Set(evaluations.flatMap(({ waits_for: of = [] }) => of));
  const ends = [percent(low, 0), percent(high, 0)];
  const share = [...new Set(ends)].join(' to ');
  return [
    ...(high > 0 ? [`${share} of the weight could not be decided.`] : []),
    ...(waits.size > 0 ? [`Waits for a judge: ${[...waits].join(', ')}.`] : []),
  ];
}

function hasChosen(evaluation: FullEvaluation, chosen: string | undefined): boolean {
  return chosen !== undefined && evaluation.verdicts.some((one) => verdictKey(evaluation, one) === chosen);
}

/** The sentence ends with the criteria that failed, which stand below it with their reasons. */
function withoutVerdicts(explanation: string): string {
  const [first = explanation, rest] = explanation.split('; failed: ', 2);
  return rest === undefined ? explanation : `${first}.`;
}

function turnName({ turn_id: turn }: FullEvaluation, turns: readonly TurnJson[]): string {
  if (turn === undefined || turns.length <= 1) return '';
  const index = turns.findIndex(({ turn_id: id }) => id === turn);
  return index < 0 ? 'A turn that is not stored: ' : `Turn ${index + 1}: `;
}

function keyOf({ evaluation, verdict }: Given): string {
  return verdictKey(evaluation, verdict);
}

type CriterionProps = Omit<SuiteProps, 'of' | 'all'> & { readonly of: CriterionVerdicts };

function Criterion({ of, turns, chosen, onVerdict, beside }: CriterionProps) {
  const { criterion, open, fine } = of;
  const given = open.length > 0 ? open : fine;
  const first = given.find((one) => keyOf(one) === chosen) ?? given.find(canShow) ?? given[0];
  if (first === undefined) return null;
  const { weight, critical, question, verdict } = first.verdict;
  const isChosen = given.some((one) => keyOf(one) === chosen);
  const shows = canShow(first);
  // A criterion that is fine needs no more than how often it was.
  const isListed = open.length > 0 || turns.length <= 1 || first.turn === undefined;
  return (
    <li class={isChosen ? `verdict ${verdict} chosen` : `verdict ${verdict}`}>
      <button
        type="button"
        class="verdict-name"
        aria-pressed={shows ? isChosen : undefined}
        disabled={!shows}
        title={shows ? 'Show where it happened' : 'No span shows it'}
        onClick={() => onVerdict(first.evaluation, first.verdict)}
      >
        <VerdictMark verdict={verdict} />
        <SpanText in="b" text={criterion} />
        {critical === true && <span class="aside">critical</span>}
        <span class="verdict-weight">{weight === undefined ? '' : percent(weight, 0)}</span>
      </button>
      {question !== undefined && <SpanText in="p" class="question" text={question} charactersMax={600} />}
      {isListed ? (
        <SomeFirst of={[first, ...given.filter((one) => one !== first)]} atATime={GIVEN_SHOWN}>
          {(shown) =>
            shown
              .toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0))
              .map((one) => (
                <GivenVerdict
                  key={keyOf(one)}
                  given={one}
                  isNumbered={turns.length > 1}
                  isChosen={keyOf(one) === chosen}
                  onVerdict={onVerdict}
                  beside={beside}
                />
              ))
          }
        </SomeFirst>
      ) : (
        <p class="aside">{countedFine(fine.map((one) => one.verdict))}</p>
      )}
      {open.length > 0 && fine.length > 0 && (
        <p class="aside">{`In other turns: ${countedFine(fine.map((one) => one.verdict))}.`}</p>
      )}
    </li>
  );
}

/** A span shows it, or the turn that it is about. */
function canShow({ verdict, turn }: Given): boolean {
  return verdict.evidence.length > 0 || (turn !== undefined && turn > 0 && !needsNoAttention(verdict.verdict));
}

interface GivenProps {
  readonly given: Given;
  readonly isNumbered: boolean;
  readonly isChosen: boolean;
  readonly onVerdict: VerdictsProps['onVerdict'];
  readonly beside: VerdictsProps['beside'];
}

function GivenVerdict({ given, isNumbered, isChosen, onVerdict, beside }: GivenProps) {
  const { evaluation, verdict, turn } = given;
  const { evidence, reason, judged_by: judge, sub_agents: subAgents = [], steps } = verdict;
  const judgedBy =
    judge === undefined ? '' : `judged by ${judge.judge}${judge.model === undefined ? '' : ` (${judge.model})`}`;
  return (
    <div id={verdictAnchor(keyOf(given))} class={isChosen ? 'given chosen' : 'given'}>
      <p class="reason">
        {isNumbered && turn !== undefined && (
          <button
            type="button"
            class="quiet turn-link"
            disabled={!canShow(given)}
            aria-pressed={isChosen}
            onClick={() => onVerdict(evaluation, verdict)}
          >
            {turn === 0 ? 'A turn that is not stored' : `Turn ${turn}`}
          </button>
        )}
        <SpanText in="span" text={reason} charactersMax={2_000} />
      </p>
      {decisionOf(verdict.verdict) !== undefined && beside?.(given)}
      {(subAgents.length > 0 || judge !== undefined) && (
        <p class="aside">
          {subAgents.length > 0 && (
            <SpanText text={`${counted(evidence.length, 'span')} by ${subAgents.join(', ')} `} charactersMax={200} />
          )}
          {judgedBy}
        </p>
      )}
      {steps !== undefined && <GradedSteps steps={steps} />}
    </div>
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

function Findings({
  evaluations,
  turns,
}: Pick<SuiteVerdicts, 'evaluations'> & { readonly turns: readonly TurnJson[] }) {
  const found = evaluations.flatMap((evaluation) =>
    evaluation.findings.map((one) => ({ ...one, of: turnName(evaluation, turns) })),
  );
  return (
    <SomeFirst of={found} atATime={FINDINGS_SHOWN}>
      {(shown) =>
        shown.map(({ finding, reason, of }) => (
          <p key={`${of}${finding}`} class="finding">
            {of}
            <b>{finding.replaceAll('_', ' ')}</b>
            {': '}
            <SpanText text={reason} charactersMax={1_000} />
          </p>
        ))
      }
    </SomeFirst>
  );
}
