/** The views of which a picture is kept, and what each shows once it has all its answers. */
import type { Page } from 'playwright-core';
import { fleetOf, agentAt } from '../fleet-of.ts';

export interface Scene {
  readonly name: string;
  readonly address: (ids: { readonly failed: string }) => string;
  /** Elements that are there once the view is whole. */
  readonly shows: string;
  /** Answers that replace the recorded ones, by path. */
  readonly played?: Readonly<Record<string, object>>;
  readonly act?: (page: Page) => Promise<void>;
}

const FLEET = fleetOf(Array.from({ length: 14 }, (_, place) => agentAt(place)));
const NOTHING = { agents: [], agent_versions: [], environments: [], segments: [], suites: [] };

export const SCENES: readonly Scene[] = [
  { name: 'overview', address: () => '/?suite=scheduling', shows: '.endings' },
  { name: 'conversations', address: () => '/conversations?order=worst', shows: '.row' },
  {
    name: 'conversation',
    address: ({ failed }) => `/conversations/${failed}?order=worst`,
    shows: '.verdict',
    act: async (page) => {
      await page.locator('.verdict.fail .verdict-name:enabled').first().click();
      await page.locator('.done-step.lit').first().waitFor();
    },
  },
  { name: 'versions', address: () => '/versions?suite=scheduling', shows: '.measures, .measure-table, table' },
  { name: 'read', address: () => '/read', shows: '.chat .done' },
  { name: 'failures', address: () => '/failures', shows: '.kind-card' },
  { name: 'review', address: () => '/review?suite=scheduling&criterion=correct_time', shows: '.asked-question' },
  { name: 'suites', address: () => '/suites', shows: '.criterion-name, td' },
  {
    name: 'fleet',
    address: () => '/?since=7d',
    shows: '.fleet-link',
    played: {
      '/api/v1/fleet': FLEET,
      '/api/v1/facets': {
        ...{ ...NOTHING, agents: FLEET.agents.map(({ agent }) => agent), suites: ['calls'] },
        ...{ conversations: 4_000, conversations_over: false },
      },
    },
  },
  {
    name: 'start',
    address: () => '/',
    shows: '.command pre',
    played: { '/api/v1/facets': { ...NOTHING, conversations: 0, conversations_over: false } },
  },
];
