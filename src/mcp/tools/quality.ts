/** Tools about how well agents do: what got worse, figures, and versions side by side. */
import { z } from 'zod';
import { detections } from '../../model/api/detections.ts';
import { moved } from '../../model/api/moved.ts';
import { suiteList } from '../../model/api/suite-list.ts';
import { trend } from '../../model/api/trend.ts';
import { versionsCompared } from '../../model/api/versions.ts';
import { asked, ToolProblem } from '../asked-api.ts';
import { type RegisteredBy, tool } from '../tool.ts';

const CHANGES = 10;
const SERIES = 20;

const since = z.string().default('24h').describe('from then on: a duration such as 24h or 7d, or an ISO time');
const suite = z.string().optional().describe('a suite; the one that says most about the task unless given');

const whatGotWorse = tool({
  name: 'what_got_worse',
  title: 'What got worse',
  description: `Start here after an alert. Levels that Assay has detected as worse (agent, metric, criterion, since when, by how much,
which criteria cause it), the latest changes, and which criteria moved the mean score (TCR) since a time against the time
before it, or of one version against another. Then use find_conversations with the criterion that lost most.`,
  input: z.object({
    since,
    suite,
    agent: z.string().optional(),
    version: z.string().optional().describe('the version of the agent that may be worse'),
    against_version: z.string().optional().describe('the version to compare it with; needs version'),
  }),
  output: z.object({
    detections: detections.optional(),
    moved: moved.optional(),
    not_known: z.array(z.string()).describe('parts that could not be answered, and why'),
  }),
  run: async ({ api }, { agent, ...query }) => {
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
            },
          }),
      ...(parts === undefined ? {} : { moved: parts }),
      not_known: notKnown,
    };
  },
});

const figures = tool({
  name: 'figures',
  title: 'Figures',
  description: `How well an agent does: success rate, TCR (mean score), outcomes and decided share of a suite, with 95 % intervals and the
number of observations, whole or by agent version, agent, segment or environment; and how often each criterion passes
in the same evaluations, as far as criteria_rest_on says. Never quote a value without its n.`,
  input: z.object({
    since,
    until: z.string().optional(),
    suite,
    agent: z.string().optional(),
    agent_version: z.string().optional(),
    environment: z.string().optional(),
    by: z.enum(['none', 'agent_version', 'agent', 'segment', 'environment']).default('none'),
  }),
  output: z.object({
    suite: z.string(),
    since: z.string(),
    until: z.string(),
    series: z.array(trend.shape.series.unwrap().element.omit({ buckets: true })),
    series_left_out: z.number(),
    criteria: suiteList.shape.suites.unwrap().element.shape.criteria,
    criteria_rest_on: z
      .object({
        evaluations: z.number().describe('those that the criteria are counted in'),
        other_versions: z.number().describe('those by other versions of the suite, in which they are not counted'),
        cut: z.boolean().describe('there are more, and these are the latest'),
      })
      .optional(),
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
  description: `Two versions of an agent in production: score, success, each criterion, and steps, tokens and cost for a success, with
intervals and one word each: better, worse, no_difference_shown or not_enough_evidence. Trust the word, not the
difference.`,
  input: z.object({
    agent: z.string(),
    a: z.string().describe('the version before'),
    b: z.string().describe('the version after'),
    suite,
    since: z.string().optional().describe('30d unless given'),
  }),
  output: versionsCompared,
  run: async ({ api }, query) =>
    asked(api, { method: 'GET', path: '/api/v1/versions/compare', query }, versionsCompared),
});

export const QUALITY_TOOLS: readonly RegisteredBy[] = [whatGotWorse, figures, compareVersions];
