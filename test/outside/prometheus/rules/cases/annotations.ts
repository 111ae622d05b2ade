/** The texts for people, word by word. The names are an attacker's: they must stay text. */
import type { RuleCase } from '../rule-case.ts';
import { traffic, weights } from '../traffic.ts';

const CHANGE = 108;
const HOSTILE = 'shop"} or vector(1) {{ .Labels }} & <b>';
const HOSTILE_AGENT = { suite: 'default', agent: HOSTILE, environment: 'production' };
const IN_URL = 'shop%22%7D+or+vector%281%29+%7B%7B+.Labels+%7D%7D+%26+%3Cb%3E';
const RATES = { right_person: 0.95, polite: 0.85 };
const BEFORE = { perHour: 240, score: 0.9, success: 0.9, criteria: RATES };
const AFTER = { perHour: 240, score: 0.8, success: 0.9, criteria: { ...RATES, right_person: 0.75 } };

export const ANNOTATION_CASES: readonly RuleCase[] = [
  {
    name: 'an alert says how much, which criterion and which version, and links to more',
    series: [
      ...traffic(
        [
          { ...BEFORE, hours: CHANGE },
          { ...BEFORE, perHour: 0, hours: 8 },
        ],
        { agent: HOSTILE },
      ),
      ...traffic(
        [
          { ...AFTER, perHour: 0, hours: CHANGE, unseen: true },
          { ...AFTER, hours: 8 },
        ],
        { agent: HOSTILE, version: 'v2' },
      ),
      ...weights({ right_person: 0.5, polite: 0.5 }, (CHANGE + 8) * 4 + 1),
    ],
    checks: [
      {
        at: CHANGE + 7,
        firing: { AgentTcrRegression: [HOSTILE_AGENT] },
        annotations: {
          AgentTcrRegression: {
            summary: `Mean score of ${HOSTILE} in production (suite default) fell by at least 6.317%`,
            description:
              'Against the same mix of traffic before. Version that lost most: v2. Criterion that moved it most: right_person (-10% of the score). Mean score of the last 6h: 80%. Next: if the version is new, roll it back; then read the conversations that fail the criterion.',
            criterion: 'right_person',
            criterion_points: '-10%',
            version: 'v2',
            runbook_url: 'http://localhost:4319/runbooks/AgentTcrRegression.md',
            dashboard_url: `http://localhost:3000/d/assay-quality?var-suite=default&var-agent=${IN_URL}&var-environment=production`,
            conversations_url: `http://localhost:4319/conversations?suite=default&agent=${IN_URL}&since=6h&order=worst`,
          },
        },
      },
    ],
  },
];
