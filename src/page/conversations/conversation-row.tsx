/** A row: how it ended, when, what the user wanted, what the agent said, and why it failed. It can be read aloud. */
import { useMemo } from 'preact/hooks';
import type { ConversationItem, ConversationState, ListedEvaluation } from '../../api/conversation-list.ts';
import type { ExcerptAnswer } from '../../api/excerpt.ts';
import { excerptOf } from '../../model/word-forms.ts';
import { useReply } from '../api/use-reply.ts';
import { capitalized } from '../text/capitalized.ts';
import { isGood } from '../../model/severity.ts';
import { OutcomeMark, VerdictMark, withOutcomeWords } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { type ColumnName, Figures } from './columns.tsx';
import { worstOf } from '../../model/worst-first.ts';

interface RowProps {
  readonly row: ConversationItem;
  readonly href: string;
  readonly isOpen: boolean;
  readonly columns: readonly ColumnName[];
  /** Suites that are asked for: their verdicts are shown, if they gave any. */
  readonly suites: readonly string[];
  /** Words that the list is searched for. */
  readonly search?: RowSearch | undefined;
  readonly onFocus: () => void;
}

interface RowSearch {
  readonly words: string;
  readonly isFound: (word: string) => boolean;
}

const FAILING_SHOWN = 2;
const STATE_WORDS: Readonly<Record<ConversationState, string | undefined>> = {
  scored: undefined,
  open: 'still open',
  waiting: 'waits for a judge',
  unscored: 'no score',
};

export function ConversationRow({ row, href, isOpen, columns, suites, search, onFocus }: RowProps) {
  const asked = row.evaluations.filter(({ suite }) => suites.includes(suite));
  const evaluations = asked.length === 0 ? row.evaluations : asked;
  const worst = worstOf(evaluations);
  const reasons = why({ ...row, evaluations }, worst, STATE_WORDS[row.state]);
  return (
    <a
      href={href}
      class={reasons.length === 0 ? 'row-link fine' : 'row-link'}
      aria-current={isOpen ? 'true' : undefined}
      onFocus={onFocus}
    >
      <span class="row-outcome">
        <OutcomeMark outcome={worst?.outcome ?? 'unscored'} because={worst?.because} isTerse />
      </span>
      <span class="row-time">
        <Time at={row.began_at} />
      </span>
      <span class="row-asked">
        {row.asked === undefined ? <i>the question was not captured</i> : quoted(row.asked, search)}
      </span>
      <Answered row={row} search={search} />
      <span class="row-why">{reasons}</span>
      <Figures columns={columns} row={row} worst={worst} />
    </a>
  );
}

const AROUND = { before: 24, after: 240 };

/** From shortly before the word that is searched for, where the text has it. */
function quoted(text: string, search: RowSearch | undefined) {
  const around = search && excerptOf(text, search.isFound, AROUND);
  return <SpanText in="q" text={around ?? text} isFound={search?.isFound} />;
}

/** The last answer. In a search it gives way to the place of the words, if neither it nor the question has them. */
function Answered({ row, search }: Pick<RowProps, 'row' | 'search'>) {
  const { answered = '', asked = '' } = row;
  const around = search && excerptOf(answered, search.isFound, AROUND);
  const isElsewhere =
    search !== undefined && around === undefined && excerptOf(asked, search.isFound, AROUND) === undefined;
  return (
    <span class="row-answered">
      {isElsewhere ? (
        <Elsewhere id={row.conversation_id} search={search} instead={answered} />
      ) : (
        <SpanText text={around ?? withoutMarks(answered)} isFound={search?.isFound} />
      )}
    </span>
  );
}

/** Marks of bold words and code, which say nothing in a line that is cut. */
function withoutMarks(text: string): string {
  return text.replaceAll(/\*\*|`/g, '');
}

interface ElsewhereProps {
  readonly id: string;
  readonly search: RowSearch;
  readonly instead: string;
}

/** Asked for each row that is in sight: the service reads the spans of one conversation for it. */
function Elsewhere({ id, search: { words, isFound }, instead }: ElsewhereProps) {
  const query = useMemo(() => new URLSearchParams({ words }), [words]);
  const { reply } = useReply<ExcerptAnswer>(`/api/v1/excerpts/${encodeURIComponent(id)}`, { query });
  const excerpt = reply?.is === 'here' ? reply.value.excerpt : undefined;
  if (excerpt === undefined) return <SpanText text={instead} />;
  const { by, turn, tool, text } = excerpt;
  return (
    <>
      <span class="aside">
        {tool === undefined ? capitalized(by) : <SpanText text={tool} charactersMax={60} />}
        {`, turn ${turn}: `}
      </span>
      <SpanText text={excerptOf(text, isFound, AROUND) ?? text} isFound={isFound} />
    </>
  );
}

function why(row: ConversationItem, worst: ListedEvaluation | undefined, state: string | undefined) {
  const failing = row.evaluations
    .flatMap((evaluation) => evaluation.failing)
    .toSorted((a, b) => Number(b.critical ?? false) - Number(a.critical ?? false) || (b.lost ?? 0) - (a.lost ?? 0));
  const shown = failing.slice(0, FAILING_SHOWN).map(({ criterion, reason }) => (
    <span key={`fails ${criterion}`} class="failing">
      <VerdictMark verdict="fail" />
      <b>{criterion}</b>
      <span class="reason">
        {': '}
        <SpanText text={reason} />
      </span>
    </span>
  ));
  const left = failing.length - shown.length;
  const isFine = worst === undefined || isGood(worst.outcome);
  const nothing = failing.length === 0 && !isFine && (
    <span key="explained" class="reason">
      <SpanText text={withOutcomeWords(worst.explanation)} />
    </span>
  );
  const because = row.unscored_because ?? row.waiting_for;
  return [
    ...(state === undefined
      ? []
      : [
          <span key="state" class="state">
            {state}
            {because === undefined ? '' : ': '}
            {because === undefined ? '' : <SpanText text={because.replaceAll('_', ' ')} />}
          </span>,
        ]),
    ...shown,
    ...(left > 0 ? [<span key="more" class="more">{`and ${left} more`}</span>] : []),
    ...(nothing === false ? [] : [nothing]),
  ];
}
