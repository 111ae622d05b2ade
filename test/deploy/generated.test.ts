import { expect, test } from 'vitest';
import { generatedFiles, trialFiles } from '../../deploy/generated-files.ts';
import { LINKS } from '../../deploy/links.ts';
import { readRunbooks } from '../../src/serve/page/runbooks.ts';
import { text } from './shipped-files.ts';

test.for([...generatedFiles(LINKS)])(
  'deploy/%s is what its source says: npm run generate writes it',
  ([file, content]) => {
    expect(text(`deploy/${file}`)).toBe(content);
  },
);

test('the links lead where the generator is told', () => {
  const links = { docs: 'https://docs.test', grafana: 'https://grafana.test', assay: 'https://assay.test' };
  const [, rules = ''] = [...generatedFiles(links)].find(([file]) => file === 'prometheus/assay.rules.yml') ?? [];

  expect(rules).toContain('runbook_url: https://docs.test/runbooks/AgentTcrRegression.md');
  expect(rules).toContain('dashboard_url: https://grafana.test/d/assay-quality?');
  expect(rules).toContain('conversations_url: https://assay.test/conversations?');
  expect(rules).not.toContain('localhost');
});

test('links of runbooks lead to the service as shipped, which serves them', () => {
  const [, rules = ''] = [...generatedFiles(LINKS)].find(([file]) => file === 'prometheus/assay.rules.yml') ?? [];

  const links = [...rules.matchAll(/runbook_url: (\S+)/g)].map(([, link = '']) => new URL(link));
  const runbooks = readRunbooks();

  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ pathname }) => !runbooks.has(pathname.replace('/runbooks/', '')))).toEqual([]);
});

test('a trial has rules with shorter times, and looks often enough for them', () => {
  const trial = trialFiles(LINKS, 360);

  expect(trial.get('assay.rules.yml')).toContain('[4m]');
  expect(trial.get('assay.rules.yml')).not.toContain('[1d]');
  for (const file of ['prometheus.yml', 'prometheus-in-compose.yml']) {
    expect(trial.get(file)).toContain('scrape_interval: 1s\n  evaluation_interval: 1s');
  }
  expect(trial.get('alertmanager.yml')).not.toContain('url_file');
});
