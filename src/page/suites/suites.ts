/** The suites that run: each criterion with its question, its weight, and how often it passes. */
import { h, type JSX } from 'preact';
import { TableHead } from '../text/table-head.ts';
import type { SuiteList } from '../../api/suite-list.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { useReply } from '../api/use-reply.ts';
import { FilterBar, plainChoices, sinceFilter } from '../shell/filter-bar.ts';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { Problem } from '../shell/problem.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { ShareEstimate } from '../text/estimate.ts';
import { counted, countText, percent } from '../text/format.ts';
import { WhatIfSection } from './what-if.ts';

type Suite = SuiteList['suites'][number];
type Criterion = Suite['criteria'][number];

const SINCE = '7d';

export function Suites({ place, facets }: ViewProps): JSX.Element {
  const asked = onlyOf(place.query, ['agent', 'since']);
  const query = asked.has('since') ? asked : withChanges(asked, { since: SINCE });
  const { reply, again, isOld } = useReply<SuiteList>('/api/v1/suites', query);
  const agents = { name: 'agent', label: 'Agent', all: 'all agents', choices: plainChoices(facets.agents) };
  return h(
    'div',
    { class: isOld ? 'suites old' : 'suites', 'aria-busy': isOld },
    h('h1', { class: 'only-heard' }, 'Suites'),
    h(FilterBar, {
      place,
      filters: [...(facets.agents.length > 1 ? [agents] : []), sinceFilter(place, 'last 7 days', SINCE)],
    }),
    reply === undefined && h('p', { class: 'loading', role: 'status' }, 'Loading …'),
    reply !== undefined && reply.is !== 'here' && h(Problem, { of: reply, again }),
    reply?.is === 'here' && reply.value.suites.length === 0 && h('p', null, 'No suite runs.'),
    ...(reply?.is === 'here'
      ? reply.value.suites.map((suite, index) =>
          h(SuiteSection, {
            key: `${suite.name} ${suite.version} ${suite.live}`,
            suite,
            place,
            since: query.get('since') ?? SINCE,
            isFirst: index === 0,
          }),
        )
      : []),
  );
}

/** The heads of the columns, with their classes. */
const HEADS = {
  Criterion: '',
  Weight: 'number',
  Passes: 'number passes',
  'Not applicable': 'number',
  Errors: 'number',
  Evaluations: 'number',
};

interface SectionProps {
  readonly suite: Suite;
  readonly place: Place;
  readonly since: string;
  readonly isFirst: boolean;
}

function SuiteSection({ suite, place, since, isFirst }: SectionProps): JSX.Element {
  const { name, version, scope, live, about, description, criteria } = suite;
  const filters = sharedFilters(place.query);
  const { limit } = wordsOf(about);
  return h(
    'section',
    { class: 'suite' },
    h(
      'h2',
      null,
      name,
      h(
        'span',
        { class: 'aside' },
        ` version ${version}, scores a ${scope}${live ? '' : ', in shadow: it counts for nothing'}`,
      ),
    ),
    description !== undefined && h('p', null, description),
    limit !== undefined && h('p', { class: 'limits' }, limit),
    h(
      'div',
      { class: 'table-frame', tabIndex: 0, role: 'region', 'aria-label': `Criteria of ${name}` },
      h(
        'table',
        { class: 'criteria' },
        h(TableHead, { heads: HEADS }),
        h(
          'tbody',
          null,
          ...criteria.map((criterion) => h(CriterionRow, { key: criterion.name, criterion, suite, filters })),
        ),
      ),
    ),
    live && h(WhatIfSection, { suite, place, since, isFirst }),
  );
}

function CriterionRow({
  criterion,
  suite,
  filters,
}: {
  readonly criterion: Criterion;
  readonly suite: Suite;
  readonly filters: URLSearchParams;
}): JSX.Element {
  const {
    name,
    question,
    kind,
    weight,
    critical,
    asked,
    pass_rate: rate,
    not_applicable_rate: without,
    error_rate: errors,
  } = criterion;
  const failures = addressOf('conversations', withChanges(filters, { suite: suite.name, criterion: name }));
  return h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      h('span', { class: 'criterion-name' }, name),
      critical && h('span', { class: 'aside' }, ' critical'),
      kind === 'judge' && h('span', { class: 'aside' }, ' asked of a judge'),
      h('span', { class: 'question' }, question),
    ),
    h('td', { class: 'number', 'data-head': 'Weight' }, percent(weight, 0)),
    h('td', { class: 'number', 'data-head': 'Passes' }, passes(rate, failures)),
    h('td', { class: 'number', 'data-head': 'Not applicable' }, without === undefined ? '' : percent(without, 0)),
    h('td', { class: 'number', 'data-head': 'Errors' }, errors === undefined || errors === 0 ? '' : percent(errors)),
    h('td', { class: 'number', 'data-head': 'Evaluations' }, asked === 0 ? 'none yet' : countText(asked)),
  );
}

function passes(rate: Criterion['pass_rate'], failures: string): JSX.Element | string {
  if (rate === undefined) return h('span', { class: 'aside' }, 'never decided');
  const failed = Math.round((1 - rate.value) * rate.n);
  return h(
    'span',
    null,
    h(ShareEstimate, { estimate: rate }),
    failed > 0 && h('a', { class: 'failures', href: failures }, counted(failed, 'failure')),
  );
}
