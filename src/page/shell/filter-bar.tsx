/** Filters of a view: each is a parameter of the address, with the values that the service knows. */
import type { ComponentChildren } from 'preact';
import type { Facets } from '../../api/facets.ts';
import { serviceNow } from '../api/service-clock.ts';
import { Copy } from '../text/copy.tsx';
import { timeText } from '../text/format.ts';
import { Time } from '../text/time.tsx';
import { goTo } from './navigation.ts';
import { addressOf, type Place, withChanges, withFixedTime } from './place.ts';
import { type Option, Select } from './select.tsx';

export interface Filter {
  /** Name of the parameter. */
  readonly name: string;
  readonly label: string;
  /** Words where nothing is chosen. */
  readonly all: string;
  readonly choices: readonly Option[];
  /** Value that counts where nothing is chosen; empty where that is all. */
  readonly usual?: string;
}

export function plainChoices(values: readonly string[]): Filter['choices'] {
  return values.map((value) => ({ value, words: value }));
}

/** The suites as a filter, where there are several. A view of one suite shows the first unless another is chosen. */
export function suiteFilters({ query }: Place, { suites }: Facets, all = suites[0] ?? 'suite'): readonly Filter[] {
  const choices = plainChoices(suites.filter((one) => one !== all));
  const usual = all === suites[0] ? all : '';
  return suites.length > 1 || query.has('suite') ? [{ name: 'suite', label: 'Suite', all, choices, usual }] : [];
}

/** Changes one parameter of the address, and forgets the page of the list that was open. */
export function changeFilter(place: Place, name: string, value: string | readonly string[] | undefined): void {
  goTo(addressOf(place.view, withChanges(place.query, { [name]: value }), place.conversation));
}

/** Filters that all figures share. A filter with nothing to choose between is left out, unless something is chosen. */
export function sharedFilterList({ query }: Place, facets: Facets): readonly Filter[] {
  const agents = query.getAll('agent');
  const versions = facets.agent_versions.filter(({ agent }) => agents.length === 0 || agents.includes(agent));
  const names = [...new Set(versions.map(({ agent_version: version }) => version))];
  const list: readonly Filter[] = [
    { name: 'agent', label: 'Agent', all: 'all agents', choices: plainChoices(facets.agents) },
    { name: 'agent_version', label: 'Version', all: 'all versions', choices: plainChoices(names) },
    { name: 'environment', label: 'Environment', all: 'all environments', choices: plainChoices(facets.environments) },
    { name: 'segment', label: 'Segment', all: 'all segments', choices: plainChoices(facets.segments) },
  ];
  return list.filter(({ name, choices }) => choices.length > 1 || query.has(name));
}

const SINCE = [
  { value: '1h', words: 'last hour' },
  { value: '6h', words: 'last 6 hours' },
  { value: '24h', words: 'last 24 hours' },
  { value: '7d', words: 'last 7 days' },
  { value: '30d', words: 'last 30 days' },
  { value: '90d', words: 'last 90 days' },
];

/** A time in the address that is none of these comes from a link, as does the usual one. */
export function sinceFilter({ query }: Place, all: string, usual: string): Filter {
  const given = query.get('since') ?? '';
  const choices = SINCE.filter(({ value }) => value !== usual || value === given);
  const isOther = given !== '' && !choices.some(({ value }) => value === given);
  const other = { value: given, words: `since ${timeText(given, new Date(serviceNow()))}` };
  return { name: 'since', label: 'Time', all, choices: isOther ? [...choices, other] : choices, usual };
}

interface FilterBarProps {
  readonly place: Place;
  readonly filters: readonly Filter[];
  /** Parameters that a shared address has, besides the filters. */
  readonly shared?: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
}

export function FilterBar({ place, filters, shared = {}, children }: FilterBarProps) {
  const until = place.query.get('until');
  return (
    <fieldset class="filter-bar" aria-label="Filters">
      {filters.map((filter) => (
        <FilterChoice key={filter.name} place={place} filter={filter} />
      ))}
      {until !== null && (
        <Chip place={place} name="until">
          {'until '}
          <Time at={until} />
        </Chip>
      )}
      {children}
      <ShareView place={place} filters={filters} shared={shared} />
    </fieldset>
  );
}

/** A link that shows others the same conversations tomorrow: what is usual here stands in it, and times are fixed. */
function ShareView({ place, filters, shared }: Required<Pick<FilterBarProps, 'place' | 'filters' | 'shared'>>) {
  const { view, conversation } = place;
  const usual = Object.fromEntries(filters.map((filter) => [filter.name, filter.usual]));
  const query = withChanges(place.query, shared);
  for (const [name, value] of Object.entries(usual)) if (value && !query.has(name)) query.set(name, value);
  const fixed = withFixedTime(query, { usual: '', now: serviceNow() });
  return <Copy label="Share view" text={new URL(addressOf(view, fixed, conversation), location.href).href} />;
}

interface ChipProps {
  readonly place: Place;
  /** Name of the parameter. */
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A filter that comes from a link and has no list to choose from: a press takes it away. */
export function Chip({ place, name, title, children }: ChipProps) {
  return (
    <button type="button" class="chip" title={title} onClick={() => changeFilter(place, name, undefined)}>
      {children}
      <span aria-hidden="true">{' ✕'}</span>
      <span class="only-heard">, remove this filter</span>
    </button>
  );
}

/** A value of the address that is none of the choices stays one: an alert may name a version that is gone. */
function FilterChoice({ place, filter }: { readonly place: Place; readonly filter: Filter }) {
  const { name, label, all, choices } = filter;
  const given = place.query.getAll(name);
  const value = given.length > 1 ? given.join(' or ') : (given[0] ?? '');
  return (
    <label class={value === '' ? 'filter' : 'filter chosen'}>
      <span class="only-heard">{label}</span>
      <Select
        value={value}
        options={[{ value: '', words: all }, ...choices]}
        onChoose={(chosen) => changeFilter(place, name, chosen)}
      />
    </label>
  );
}
