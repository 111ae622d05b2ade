/** A row: how it ended, when, what the user wanted, what the agent said, and why it failed. It can be read aloud. */
import { h, type JSX } from 'preact';
import type { ConversationItem, ConversationState, ListedEvaluation } from '../../api/conversation-list.ts';
import { isGood } from '../../model/severity.ts';
import { OutcomeMark, VerdictMark, withOutcomeWords } from '../text/outcome.ts';
import { SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';
import { type ColumnName, Figures } from './columns.ts';
import { worstOf } from '../../model/worst-first.ts';

interface RowProps {
  readonly row: ConversationItem;
  readonly href: string;
  readonly isOpen: boolean;
  readonly columns: readonly ColumnName[];
  /** Suites that are asked for: their verdicts are shown, if they gave any. */
  readonly suites: readonly string[];
  readonly onFocus: () => void;
}

const FAILING_SHOWN = 2;
const STATE_WORDS: Readonly<Record<ConversationState, string | undefined>> = {
  scored: undefined,
  open: 'still open',
  waiting: 'waits for a judge',
  unscored: 'no score',
};

export function ConversationRow({ row, href, isOpen, columns, suites, onFocus }: RowProps): JSX.Element {
  const asked = row.evaluations.filter(({ suite }) => suites.includes(suite));
  const evaluations = asked.length === 0 ? row.evaluations : asked;
  const worst = worstOf(evaluations);
  const reasons = why({ ...row, evaluations }, worst, STATE_WORDS[row.state]);
  return h(
    'a',
    {
      href,
      class: reasons.length === 0 ? 'row-link fine' : 'row-link',
      'aria-current': isOpen ? 'true' : undefined,
      onFocus,
    },
    h(
      'span',
      { class: 'row-outcome' },
      h(OutcomeMark, { outcome: worst?.outcome ?? 'unscored', because: worst?.because, isTerse: true }),
    ),
    h('span', { class: 'row-time' }, h(Time, { at: row.began_at })),
    h(
      'span',
      { class: 'row-asked' },
      row.asked === undefined ? h('i', null, 'the question was not captured') : quoted(row.asked),
    ),
    h('span', { class: 'row-answered' }, row.answered === undefined ? '' : h(SpanText, { text: row.answered })),
    h('span', { class: 'row-why' }, ...reasons),
    h(Figures, { columns, row, worst }),
  );
}

function quoted(text: string): JSX.Element {
  return h('q', null, h(SpanText, { text }));
}

function why(row: ConversationItem, worst: ListedEvaluation | undefined, state: string | undefined): JSX.Element[] {
  const failing = row.evaluations
    .flatMap((evaluation) => evaluation.failing)
    .toSorted((a, b) => Number(b.critical ?? false) - Number(a.critical ?? false) || (b.lost ?? 0) - (a.lost ?? 0));
  const shown = failing
    .slice(0, FAILING_SHOWN)
    .map(({ criterion, reason }) =>
      h(
        'span',
        { key: `fails ${criterion}`, class: 'failing' },
        h(VerdictMark, { verdict: 'fail' }),
        h('b', null, criterion),
        h('span', { class: 'reason' }, ': ', h(SpanText, { text: reason })),
      ),
    );
  const left = failing.length - shown.length;
  const isFine = worst === undefined || isGood(worst.outcome);
  const nothing =
    failing.length === 0 &&
    !isFine &&
    h('span', { key: 'explained', class: 'reason' }, h(SpanText, { text: withOutcomeWords(worst.explanation) }));
  const because = row.unscored_because ?? row.waiting_for;
  return [
    ...(state === undefined
      ? []
      : [
          h(
            'span',
            { key: 'state', class: 'state' },
            state,
            because === undefined ? '' : ': ',
            because === undefined ? '' : h(SpanText, { text: because.replaceAll('_', ' ') }),
          ),
        ]),
    ...shown,
    ...(left > 0 ? [h('span', { key: 'more', class: 'more' }, `and ${left} more`)] : []),
    ...(nothing === false ? [] : [nothing]),
  ];
}
