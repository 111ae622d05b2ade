/** Tools about how well agents do: what got worse, figures, and versions side by side. */
import { z } from 'zod';
import { detections } from '../../api/detections.ts';
import { estimateAnswer } from '../../api/estimate.ts';
import { moved } from '../../api/moved.ts';
import { suiteList } from '../../api/suite-list.ts';
import { trend } from '../../api/trend.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { versionsCompared } from '../../api/versions.ts';
import { asked, ToolProblem } from '../asked-api.ts';
import { type Tool, tool } from '../tool.ts';
import { agent, agent_version, environment, since, suite, until } from './arguments.ts';

const CHANGES = 10;
const SERIES = 20;

const whatGotWorse = tool({
  name: 'what_got_worse',
  title: 'Open alarms',
  description: `Start here after an alert. Levels that Assay has found to have fallen (agent, metric, criterion, since when, by how much,
which criteria cause it), the latest changes, and which criteria moved the mean score since a time against the time
before it, or of one version against another; a part that is not clear may be chance. Then use find_conversations with the
criterion that lost most.`,
  input: z.object({
    agent,
    agent_version,
    against_version: z.string().optional().describe('the version before; needs agent_version'),
    suite,
    since: since.default('24h'),
  }),
  run: async ({ api }, { agent, agent_version: version, ...rest }) => {
    const query = { ...rest, version };
    const notKnown: string[] = [];
    const orNot = async <T>(answer: Promise<T>): Promise<T | undefined> => {
      try {
        return await answer;
      } catch (error) {
        if (!(error instanceof ToolProblem)) throw error;
        notKnown.push(error.message);
        return undefined;
      }
    };
    const detected = await orNot(asked(api, { method: 'GET', path: '/api/v1/detections' }, detections));
    const parts = await orNot(asked(api, { method: 'GET', path: '/api/v1/moved', query: { ...query, agent } }, moved));
    if (detected === undefined && parts === undefined) throw new ToolProblem(notKnown.join('; '));
    const chosen = <T extends { readonly agent: string; readonly suite: string }>(all: readonly T[]) =>
      all.filter((one) => (agent ?? one.agent) === one.agent && (query.suite ?? one.suite) === one.suite);
    return {
      ...(detected === undefined
        ? {}
        : {
            detections: {
              ...detected,
              open: chosen(detected.open),
              changes: chosen(detected.changes).slice(0, CHANGES),
              judges: chosen(detected.judges),
              watched: undefined,
              learning: sumOf(chosen(detected.watched), 'learning'),
              watching: sumOf(chosen(detected.watched), 'watching'),
            },
          }),
      ...(parts === undefined ? {} : { moved: parts }),
      not_known: notKnown,
    };
  },
});

function sumOf<Name extends string>(all: readonly { readonly [Key in Name]: number }[], name: Name): number {
  return all.reduce((sum, one) => sum + one[name], 0);
}

const figures = tool({
  name: 'figures',
  title: 'Figures',
  description: `How well an agent does: the rate of good outcomes, the mean score, outcomes and decided share of a suite, with 95 %
intervals and the number of observations. They speak of success only where \`about\` is task (see \`limit\`), whole or by agent version, agent, segment or environment; and how often each criterion passes
in the same evaluations, as far as criteria_rest_on says. Never quote a value without its n, nor without the note of related. Of many
intervals one in twenty misses: whether something got worse, compare_versions and what_got_worse say.`,
  input: z.object({
    agent,
    agent_version,
    environment,
    suite,
    since: since.default('24h'),
    until,
    by: z.enum(['none', 'agent_version', 'agent', 'segment', 'environment']).default('none'),
  }),
  run: async ({ api }, query) => {
    const whole = await asked(api, { method: 'GET', path: '/api/v1/trend', query }, trend);
    const { agent, agent_version, environment } = query;
    // The trend's own ends, which are those of its stretches.
    const same = { suite: whole.suite, since: whole.since, until: whole.until, agent, agent_version, environment };
    const { suites } = await asked(api, { method: 'GET', path: '/api/v1/suites', query: same }, suiteList);
    const counted = suites.find(({ live }) => live);
    const evaluations = counted?.criteria[0]?.asked ?? 0;
    return {
      suite: whole.suite,
      about: whole.about,
      limit: wordsOf(whole.about).limit,
      scope: whole.scope,
      related: whole.related,
      since: whole.since,
      until: whole.until,
      series: whole.series.slice(0, SERIES).map(({ buckets: _left, ...one }) => one),
      series_left_out: whole.series_left_out + Math.max(0, whole.series.length - SERIES),
      criteria: counted?.criteria ?? [],
      ...(counted === undefined
        ? {}
        : {
            criteria_rest_on: {
              evaluations,
              other_versions: counted.looked_at - evaluations,
              cut: counted.cut,
            },
          }),
    };
  },
});

const compareVersions = tool({
  name: 'compare_versions',
  title: 'Compare two versions',
  description: `Two versions of an agent in production: score, good outcomes, each criterion, and steps, tokens and cost, with
intervals and one word each: better or worse (of a suite about form or rules fewer_faults or more_faults, which say
nothing of the task), no_difference_shown or not_enough_evidence. Trust the word, not the difference: it allows for users who
come back, for another mix of traffic and for looking often, and agrees with detection. Say the notes.`,
  input: z.object({
    agent: z.string(),
    agent_version: z.string().describe('the version after'),
    against_version: z.string().describe('the version before'),
    suite,
    since: since.describe('30d unless given'),
  }),
  run: async ({ api }, { agent_version: b, against_version: a, ...rest }) => {
    const path = '/api/v1/versions/compare';
    const compared = await asked(api, { method: 'GET', path, query: { ...rest, a, b } }, versionsCompared);
    return { limit: wordsOf(compared.about).limit, ...compared };
  },
});

const estimate = tool({
  name: 'estimate',
  title: 'How many conversations went well',
  description: `Share of an agent's conversations that went well for their users, from a sample that people read, and the share of failures
that suites call fine. Quote says whole: a value is worth nothing without its interval. Your own reading would count in no
estimate: ask people to read.`,
  input: z.object({ agent: z.string(), agent_version, environment, since: since.default('7d'), until }),
  run: async ({ api }, query) => asked(api, { method: 'GET', path: '/api/v1/estimate', query }, estimateAnswer),
});

export const QUALITY_TOOLS: readonly Tool[] = [whatGotWorse, figures, estimate, compareVersions];
