/** Filters of a view: each is a parameter of the address, with the values that the service knows. */
import type { ComponentChildren } from 'preact';
import type { Facets } from '../../api/facets.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { serviceNow } from '../api/service-clock.ts';
import { Copy } from '../text/copy.tsx';
import { timeText } from '../text/format.ts';
import { Time } from '../text/time.tsx';
import { goTo } from './navigation.ts';
import { addressOf, type Place, withChanges, withFixedTime } from './place.ts';

export interface Filter {
  /** Name of the parameter. */
  readonly name: string;
  readonly label: string;
  /** Words where nothing is chosen. */
  readonly all: string;
  readonly choices: readonly { readonly value: string; readonly words: string }[];
  /** Value that counts where nothing is chosen; empty where that is all. */
  readonly usual?: string;
}

export function plainChoices(values: readonly string[]): Filter['choices'] {
  return values.map((value) => ({ value, words: value }));
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
];

/** A time in the address that is none of these comes from a link, as does the usual one. */
export function sinceFilter({ query }: Place, all: string, usual: string): Filter {
  const given = query.get('since') ?? '';
  const choices = SINCE.filter(({ value }) => value !== usual || value === given);
  const isOther = given !== '' && !choices.some(({ value }) => value === given);
  const other = { value: given, words: `since ${timeText(given, new Date(serviceNow()))}` };
  return { name: 'since', label: 'Time', all, choices: isOther ? [...choices, other] : choices, usual };
}

export function FilterBar({
  place,
  filters,
  children,
}: {
  readonly place: Place;
  readonly filters: readonly Filter[];
  readonly children?: ComponentChildren;
}) {
  return (
    <fieldset class="filter-bar" aria-label="Filters">
      {filters.map((filter) => (
        <FilterChoice key={filter.name} place={place} filter={filter} />
      ))}
      <Until place={place} />
      {children}
      <ShareView place={place} usual={filters.find(({ name }) => name === 'since')?.usual ?? ''} />
    </fieldset>
  );
}

/** A link that shows others the same conversations tomorrow. */
function ShareView({ place, usual }: { readonly place: Place; readonly usual: string }) {
  const { view, conversation } = place;
  const query = withFixedTime(place.query, { usual, now: serviceNow() });
  const text = new URL(addressOf(view, query, conversation), location.href).href;
  return <Copy label="Share view" text={text} />;
}

/** The end of the time comes from a link, and has no list to choose from. */
function Until({ place }: { readonly place: Place }) {
  const until = place.query.get('until');
  if (until === null) return null;
  return (
    <button type="button" class="chip" onClick={() => changeFilter(place, 'until', undefined)}>
      {'until '}
      <Time at={until} />
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
  const isKnown = value === '' || choices.some((one) => one.value === value);
  const shown = isKnown ? choices : [...choices, { value, words: value }];
  return (
    <label class={value === '' ? 'filter' : 'filter chosen'}>
      <span class="only-heard">{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }: { readonly currentTarget: EventTarget | null }) => {
          if (currentTarget instanceof HTMLSelectElement) changeFilter(place, name, currentTarget.value);
        }}
      >
        <option value="" selected={value === ''}>
          {writtenOut(all)}
        </option>
        {shown.map((one) => (
          <option key={one.value} value={one.value} selected={one.value === value}>
            {writtenOut(one.words)}
          </option>
        ))}
      </select>
    </label>
  );
}
