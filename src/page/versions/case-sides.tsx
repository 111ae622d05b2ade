/** One case as both experiments ran it: what was said and done, and the verdicts, side by side. */
import type { FullEvaluation, TranscriptStepJson, TurnJson } from '../../api/conversation-detail.ts';
import type { CaseRunJson, ComparedCase } from '../../api/experiments.ts';
import { useReply } from '../api/use-reply.ts';
import { Said } from '../conversation/said.tsx';
import { countedFine, needsNoAttention } from '../conversation/suite-verdicts.ts';
import { Here } from '../shell/here.tsx';
import { counted, countText, percent, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';

const STEPS_SHOWN = 100;
const PAYLOAD_SHOWN = 300;

interface CaseSidesProps {
  readonly a: string;
  readonly b: string;
  readonly name: string;
  readonly suite: string;
}

export function CaseSides({ a, b, name, suite }: CaseSidesProps) {
  const asked = useReply<ComparedCase>('/api/v1/experiments/compare/case', {
    query: new URLSearchParams({ a, b, case: name, suite }),
  });
  return (
    <Here of={asked}>
      {({ a: ofA, b: ofB }) => (
        <div class="case-sides">
          <Side letter="A" run={ofA} />
          <Side letter="B" run={ofB} />
        </div>
      )}
    </Here>
  );
}

const END_WORDS: Readonly<Record<CaseRunJson['end'], string>> = {
  completed: '',
  agent_failed: 'The agent ended with an error.',
  timed_out: 'The agent did not end in time.',
  no_spans: 'The agent showed no spans.',
};

function Side({ letter, run }: { readonly letter: string; readonly run: CaseRunJson | null }) {
  if (run === null)
    return (
      <section aria-label={`In ${letter}`}>
        <h3>{letter}</h3>
        <p>It did not run the case.</p>
      </section>
    );
  const { name, repeat, repeats, end, problem, turn_list: turns, no_transcript: without, evaluations } = run;
  return (
    <section class="case-side" aria-label={`In ${letter}`}>
      <h3>
        {`${letter}, `}
        <SpanText text={name} charactersMax={80} />
        {repeats > 1 && <span class="aside">{` repeat ${repeat} of ${repeats}`}</span>}
      </h3>
      {end !== 'completed' && <p class="failure">{END_WORDS[end]}</p>}
      {problem !== undefined && <SpanText in="p" class="aside" text={problem} charactersMax={1_000} />}
      {evaluations.map((one) => (
        <Verdicts key={`${one.suite} ${one.turn_id ?? ''}`} evaluation={one} />
      ))}
      {without !== undefined && (
        <p class="limits">
          {'No transcript: '}
          <SpanText text={without} />
        </p>
      )}
      {turns.map((turn) => (
        <Turn key={turn.turn_id} turn={turn} />
      ))}
      {run.steps_left_out > 0 && <p class="aside">{`${counted(run.steps_left_out, 'step')} are not shown.`}</p>}
    </section>
  );
}

/** Verdicts that failed have their reasons; the rest takes a line. */
function Verdicts({ evaluation }: { readonly evaluation: FullEvaluation }) {
  const { outcome, because, score, verdicts } = evaluation;
  const fine = verdicts.filter(({ verdict }) => needsNoAttention(verdict));
  return (
    <div class="case-verdicts">
      <p>
        <OutcomeMark outcome={outcome} because={because} />
        {score === null ? ' no score' : ` ${scoreText(score)}`}
      </p>
      <ul>
        {verdicts
          .filter(({ verdict }) => !needsNoAttention(verdict))
          .map(({ criterion, verdict, reason, weight }) => (
            <li key={criterion}>
              <VerdictMark verdict={verdict} />
              <SpanText in="b" text={criterion} />
              {weight !== undefined && <span class="aside">{` ${percent(weight, 0)}`}</span>}{' '}
              <SpanText text={reason} charactersMax={1_000} />
            </li>
          ))}
      </ul>
      {fine.length > 0 && <p class="aside">{countedFine(fine)}</p>}
    </div>
  );
}

function Turn({ turn }: { readonly turn: TurnJson }) {
  const { asked, answered, steps, error } = turn;
  const calls = steps.filter(({ kind, name }) => kind === 'tool' && name !== '');
  return (
    <div class="turn">
      <Said by="user" text={asked} missing="The question was not captured." />
      {calls.length > 0 && (
        <ol class="case-calls">
          {calls.slice(0, STEPS_SHOWN).map((call) => (
            <Call key={call.step_id} call={call} />
          ))}
        </ol>
      )}
      {calls.length > STEPS_SHOWN && <p class="aside">{`${countText(calls.length - STEPS_SHOWN)} more calls`}</p>}
      <Said by="agent" text={answered} missing="The agent gave no answer.">
        {error !== undefined && <SpanText in="p" class="failure" text={error} charactersMax={1_000} />}
      </Said>
    </div>
  );
}

function Call({ call }: { readonly call: TranscriptStepJson }) {
  const { name, status, error } = call;
  const shown = (value: unknown) =>
    value === undefined ? '' : <SpanText text={lineOf(value)} charactersMax={PAYLOAD_SHOWN} />;
  return (
    <li class={status === 'error' ? 'failed' : undefined}>
      <code>
        <SpanText text={name} charactersMax={120} />({shown(call.arguments)})
      </code>
      {call.result === undefined ? '' : ' → '}
      <code>{shown(call.result)}</code>
      {error !== undefined && (
        <span class="failure">
          {' failed: '}
          <SpanText text={error} />
        </span>
      )}
    </li>
  );
}

/** A value in one line; a text as it is. */
function lineOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
