/** The suites that run: each criterion with its question, its weight, and how often it passes. */
import type { SuiteList } from '../../api/suite-list.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { useReply } from '../api/use-reply.ts';
import { FilterBar, plainChoices, sinceFilter } from '../shell/filter-bar.tsx';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { ShareEstimate } from '../text/estimate.tsx';
import { counted, countText, percent } from '../text/format.ts';
import { Table } from '../text/table.tsx';
import { WhatIfSection } from './what-if.tsx';

type Suite = SuiteList['suites'][number];
type Criterion = Suite['criteria'][number];

const SINCE = '7d';

export function Suites({ place, facets }: ViewProps) {
  const query = withChanges(onlyOf(place.query, ['agent']), { since: place.query.get('since') ?? SINCE });
  const asked = useReply<SuiteList>('/api/v1/suites', { query });
  const agents = { name: 'agent', label: 'Agent', all: 'all agents', choices: plainChoices(facets.agents) };
  return (
    <div class={asked.isOld ? 'suites old' : 'suites'} aria-busy={asked.isOld}>
      <h1 class="only-heard">Suites</h1>
      <FilterBar
        place={place}
        filters={[...(facets.agents.length > 1 ? [agents] : []), sinceFilter(place, 'last 7 days', SINCE)]}
      />
      <Here of={asked}>
        {({ suites }) =>
          suites.length === 0 ? (
            <p>No suite runs.</p>
          ) : (
            suites.map((suite, index) => (
              <SuiteSection
                key={`${suite.name} ${suite.version} ${suite.live}`}
                suite={suite}
                place={place}
                since={query.get('since') ?? SINCE}
                isFirst={index === 0}
              />
            ))
          )
        }
      </Here>
    </div>
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

function SuiteSection({ suite, place, since, isFirst }: SectionProps) {
  const { name, version, scope, live, about, description, criteria } = suite;
  const filters = sharedFilters(place.query);
  const { limit } = wordsOf(about);
  return (
    <section class="suite">
      <h2>
        {name}
        <span class="aside">{` version ${version}, scores a ${scope}${live ? '' : ', in shadow: it counts for nothing'}`}</span>
      </h2>
      {description !== undefined && <p>{description}</p>}
      {limit !== undefined && <p class="limits">{limit}</p>}
      <Table class="criteria" heads={HEADS} label={`Criteria of ${name}`}>
        {criteria.map((criterion) => (
          <CriterionRow key={criterion.name} criterion={criterion} suite={suite} filters={filters} />
        ))}
      </Table>
      {live && <WhatIfSection suite={suite} place={place} since={since} isFirst={isFirst} />}
    </section>
  );
}

interface CriterionRowProps {
  readonly criterion: Criterion;
  readonly suite: Suite;
  readonly filters: URLSearchParams;
}

function CriterionRow({ criterion, suite, filters }: CriterionRowProps) {
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
    certificate,
  } = criterion;
  const failures = addressOf('conversations', withChanges(filters, { suite: suite.name, criterion: name }));
  return (
    <tr>
      <th scope="row">
        <span class="criterion-name">{name}</span>
        {critical && <span class="aside">{' critical'}</span>}
        {kind === 'judge' && <span class="aside">{' asked of a judge'}</span>}
        <span class="question">{question}</span>
        {certificate !== undefined && (
          <span class={certificate.certified ? 'certificate' : 'certificate limits'}>{certificate.says}</span>
        )}
      </th>
      <td class="number" data-head="Weight">
        {percent(weight, 0)}
      </td>
      <td class="number" data-head="Passes">
        {passes(rate, failures)}
      </td>
      <td class="number" data-head="Not applicable">
        {without === undefined ? '' : percent(without, 0)}
      </td>
      <td class="number" data-head="Errors">
        {errors === undefined || errors === 0 ? '' : percent(errors)}
      </td>
      <td class="number" data-head="Evaluations">
        {asked === 0 ? 'none yet' : countText(asked)}
      </td>
    </tr>
  );
}

function passes(rate: Criterion['pass_rate'], failures: string) {
  if (rate === undefined) return <span class="aside">never decided</span>;
  const failed = Math.round((1 - rate.value) * rate.n);
  return (
    <span>
      <ShareEstimate estimate={rate} />
      {failed > 0 && (
        <a class="failures" href={failures}>
          {counted(failed, 'failure')}
        </a>
      )}
    </span>
  );
}
