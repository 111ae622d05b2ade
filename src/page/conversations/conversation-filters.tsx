/** The filters of the list, and the question that the address asks of the API. */
import type { Facets } from '../../api/facets.ts';
import { POLARITIES } from '../../model/feedback.ts';
import { FAILED_OUTCOMES, OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import {
  changeFilter,
  Chip,
  type Filter,
  plainChoices,
  sharedFilterList,
  sinceFilter,
  suiteFilters,
} from '../shell/filter-bar.tsx';
import { LIST_FILTERS, MISSED, onlyOf, type Place, SHARED_FILTERS } from '../shell/place.ts';
import { counted } from '../text/format.ts';
import { OUTCOME_LOOKS } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';

/** One choice for three outcomes: the API takes them one by one. */
const ANY_FAILURE = 'failed';
/** No outcome: a conversation may succeed, and a criterion fail all the same. */
const ANY_CRITERION = 'failed_criterion';

export function listQueryOf({ query }: Place): URLSearchParams {
  const asked = onlyOf(query, [...SHARED_FILTERS, ...LIST_FILTERS]);
  const chosen = asked.getAll('outcome');
  const outcomes = chosen.filter((one) => one !== ANY_CRITERION);
  if (outcomes.length < chosen.length) {
    asked.delete('outcome');
    for (const one of outcomes) asked.append('outcome', one);
    asked.set('score_below', '1');
  }
  if (outcomes.includes(ANY_FAILURE)) {
    asked.delete('outcome');
    for (const one of new Set<string>([...FAILED_OUTCOMES, ...outcomes]))
      if (one !== ANY_FAILURE) asked.append('outcome', one);
  }
  if (asked.get('came_out') === MISSED) {
    asked.set('came_out', 'bad');
    asked.set('called_fine', 'true');
  }
  return asked;
}

export function conversationFilters(place: Place, facets: Facets): readonly Filter[] {
  const outcomes = OUTCOMES_IN_ORDER.map((outcome) => ({ value: outcome, words: OUTCOME_LOOKS[outcome].word }));
  const states = [
    { value: 'open', words: 'still open' },
    { value: 'waiting', words: 'waits for a judge' },
    { value: 'unscored', words: 'without a score' },
  ];
  return [
    { name: 'order', label: 'Order', all: 'latest first', choices: ORDERED },
    {
      name: 'outcome',
      label: 'Outcome',
      all: 'all outcomes',
      choices: [
        { value: ANY_FAILURE, words: 'any failure' },
        { value: ANY_CRITERION, words: 'any failed criterion' },
        ...outcomes,
      ],
    },
    ...sharedFilterList(place, facets),
    ...suiteFilters(place, facets, 'all suites'),
    sinceFilter(place, 'all times', ''),
    { name: 'state', label: 'State', all: 'any state', choices: states },
    { name: 'feedback', label: 'Feedback', all: 'any feedback', choices: plainChoices(POLARITIES) },
    { name: 'came_out', label: 'Came out', all: 'came out: any', choices: CAME_OUT },
    { name: 'read', label: 'Read as', all: 'read: any', choices: READ_AS },
  ];
}

const ORDERED = [
  { value: 'worst', words: 'failed first' },
  { value: 'turns', words: 'most turns first' },
  { value: 'longest', words: 'longest first' },
];

const CAME_OUT = [
  { value: 'good', words: 'came out good' },
  { value: 'bad', words: 'came out bad' },
  { value: MISSED, words: 'bad, called fine' },
  { value: 'unknown', words: 'not known' },
];

const READ_AS = [
  { value: 'good', words: 'read as good' },
  { value: 'bad', words: 'read as bad' },
];

interface FromLink {
  readonly name: string;
  readonly words: string;
  readonly title: string;
  readonly joined?: string;
  /** Values are counted under this name, where they say nothing to a reader. */
  readonly counts?: string;
}

const FROM_LINKS: readonly FromLink[] = [
  { name: 'criterion', words: 'failed ', title: 'Show conversations that passed it, too' },
  { name: 'sub_agent', words: 'with ', title: 'Show conversations in which it took no part, too' },
  { name: 'decided_below', words: 'decided below ', title: 'Show conversations of which more was decided, too' },
  {
    name: 'conversation_id',
    words: 'only ',
    title: 'Show all conversations',
    counts: 'chosen conversation',
  },
  { name: 'kind', words: 'failure: ', title: 'Show conversations without this kind of failure, too' },
  { name: 'fact', words: 'with ', title: 'Show conversations without it, too', joined: ' and ' },
];

/** Criteria, sub-agents, kinds of failure and facts come from a link: the chip says so, and takes them away. */
export function FromLinks({ place }: { readonly place: Place }) {
  return FROM_LINKS.map(({ name, words, title, joined = ' or ', counts }) => {
    const values = place.query.getAll(name);
    if (values.length === 0) return null;
    return (
      <Chip key={name} place={place} name={name} title={title}>
        {words}
        <SpanText text={counts === undefined ? values.join(joined) : counted(values.length, counts)} />
      </Chip>
    );
  });
}

export function Search({ place }: { readonly place: Place }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const field = document.getElementById('words');
    if (field instanceof HTMLInputElement) changeFilter(place, 'words', field.value.trim());
  };
  return (
    <search class="search">
      <form onSubmit={onSubmit}>
        <input
          key={place.query.get('words') ?? ''}
          id="words"
          type="search"
          aria-label="Words of what was said, of tool calls, or the id"
          placeholder="Words or id, then Enter"
          maxLength={200}
          defaultValue={place.query.get('words') ?? ''}
        />
      </form>
    </search>
  );
}
