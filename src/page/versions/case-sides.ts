/** One case as both experiments ran it: what was said and done, and the verdicts, side by side. */
import { h, type JSX } from 'preact';
import type { FullEvaluation, TranscriptStepJson, TurnJson } from '../../api/conversation-detail.ts';
import type { CaseRunJson, ComparedCase } from '../../api/experiments.ts';
import { useReply } from '../api/use-reply.ts';
import { countedFine, needsNoAttention } from '../conversation/verdicts.ts';
import { Problem } from '../shell/problem.ts';
import { counted, countText, percent, scoreText } from '../text/format.ts';
import { OutcomeMark, VerdictMark } from '../text/outcome.ts';
import { LongText, SpanText } from '../text/span-text.ts';

const STEPS_SHOWN = 100;
const PAYLOAD_SHOWN = 300;

export function CaseSides({
  a,
  b,
  name,
  suite,
}: {
  readonly a: string;
  readonly b: string;
  readonly name: string;
  readonly suite: string;
}): JSX.Element {
  const { reply, again } = useReply<ComparedCase>(
    '/api/v1/experiments/compare/case',
    new URLSearchParams({ a, b, case: name, suite }),
  );
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Loading …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const { a: ofA, b: ofB } = reply.value;
  return h('div', { class: 'case-sides' }, h(Side, { letter: 'A', run: ofA }), h(Side, { letter: 'B', run: ofB }));
}

const END_WORDS: Readonly<Record<CaseRunJson['end'], string>> = {
  completed: '',
  agent_failed: 'The agent ended with an error.',
  timed_out: 'The agent did not end in time.',
  no_spans: 'The agent showed no spans.',
};

function Side({ letter, run }: { readonly letter: string; readonly run: CaseRunJson | null }): JSX.Element {
  if (run === null)
    return h(
      'section',
      { 'aria-label': `In ${letter}` },
      h('h3', null, letter),
      h('p', null, 'It did not run the case.'),
    );
  const { name, repeat, repeats, end, problem, turn_list: turns, no_transcript: without, evaluations } = run;
  return h(
    'section',
    { class: 'case-side', 'aria-label': `In ${letter}` },
    h(
      'h3',
      null,
      `${letter}, `,
      h(SpanText, { text: name, charactersMax: 80 }),
      repeats > 1 && h('span', { class: 'aside' }, ` repeat ${repeat} of ${repeats}`),
    ),
    end !== 'completed' && h('p', { class: 'failure' }, END_WORDS[end]),
    problem !== undefined && h('p', { class: 'aside' }, h(SpanText, { text: problem, charactersMax: 1_000 })),
    ...evaluations.map((one) => h(Verdicts, { key: `${one.suite} ${one.turn_id ?? ''}`, evaluation: one })),
    without !== undefined && h('p', { class: 'limits' }, 'No transcript: ', h(SpanText, { text: without })),
    ...turns.map((turn) => h(Turn, { key: turn.turn_id, turn })),
    run.steps_left_out > 0 && h('p', { class: 'aside' }, `${counted(run.steps_left_out, 'step')} are not shown.`),
  );
}

/** Verdicts that failed have their reasons; the rest takes a line. */
function Verdicts({ evaluation }: { readonly evaluation: FullEvaluation }): JSX.Element {
  const { outcome, because, score, verdicts } = evaluation;
  const fine = verdicts.filter(({ verdict }) => needsNoAttention(verdict));
  return h(
    'div',
    { class: 'case-verdicts' },
    h('p', null, h(OutcomeMark, { outcome, because }), score === null ? ' no score' : ` ${scoreText(score)}`),
    h(
      'ul',
      null,
      ...verdicts
        .filter(({ verdict }) => !needsNoAttention(verdict))
        .map(({ criterion, verdict, reason, weight }) =>
          h(
            'li',
            { key: criterion },
            h(VerdictMark, { verdict }),
            h('b', null, h(SpanText, { text: criterion })),
            weight !== undefined && h('span', { class: 'aside' }, ` ${percent(weight, 0)}`),
            ' ',
            h(SpanText, { text: reason, charactersMax: 1_000 }),
          ),
        ),
    ),
    fine.length > 0 && h('p', { class: 'aside' }, countedFine(fine)),
  );
}

function Turn({ turn }: { readonly turn: TurnJson }): JSX.Element {
  const { asked, answered, steps, error } = turn;
  const calls = steps.filter(({ kind, name }) => kind === 'tool' && name !== '');
  return h(
    'div',
    { class: 'turn' },
    h(
      'div',
      { class: 'said user' },
      h('p', { class: 'speaker' }, 'User'),
      asked === '' ? h('p', { class: 'aside' }, 'The question was not captured.') : h(LongText, { text: asked }),
    ),
    calls.length > 0 &&
      h(
        'ol',
        { class: 'case-calls' },
        ...calls.slice(0, STEPS_SHOWN).map((call) => h(Call, { key: call.step_id, call })),
      ),
    calls.length > STEPS_SHOWN && h('p', { class: 'aside' }, `${countText(calls.length - STEPS_SHOWN)} more calls`),
    h(
      'div',
      { class: 'said agent' },
      h('p', { class: 'speaker' }, 'Agent'),
      answered === '' ? h('p', { class: 'aside' }, 'The agent gave no answer.') : h(LongText, { text: answered }),
      error !== undefined && h('p', { class: 'failure' }, h(SpanText, { text: error, charactersMax: 1_000 })),
    ),
  );
}

function Call({ call }: { readonly call: TranscriptStepJson }): JSX.Element {
  const { name, status, error } = call;
  const shown = (value: unknown) =>
    value === undefined ? '' : h(SpanText, { text: lineOf(value), charactersMax: PAYLOAD_SHOWN });
  return h(
    'li',
    { class: status === 'error' ? 'failed' : undefined },
    h('code', null, h(SpanText, { text: name, charactersMax: 120 }), '(', shown(call.arguments), ')'),
    call.result === undefined ? '' : ' → ',
    h('code', null, shown(call.result)),
    error !== undefined && h('span', { class: 'failure' }, ' failed: ', h(SpanText, { text: error })),
  );
}

/** A value in one line; a text as it is. */
function lineOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
