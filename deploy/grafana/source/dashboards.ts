/** All dashboards, as the JSON that Grafana reads. */
import type { Dashboard as Written } from '@grafana/grafana-foundation-sdk/dashboard';
import { DASHBOARDS, type Links } from '../../links.ts';
import type { RuleSettings } from '../../prometheus/source/settings.ts';
import { efficiencyDashboard } from './efficiency.ts';
import { healthDashboard } from './health.ts';
import { judgesDashboard } from './judges.ts';
import { qualityDashboard } from './quality.ts';
import { versionsDashboard } from './versions.ts';

export function dashboards(settings: RuleSettings, links: Links): ReadonlyMap<string, Written> {
  return new Map([
    [DASHBOARDS.quality, qualityDashboard(settings, links).build()],
    [DASHBOARDS.versions, versionsDashboard(settings).build()],
    [DASHBOARDS.efficiency, efficiencyDashboard(settings).build()],
    [DASHBOARDS.health, healthDashboard(settings).build()],
    [DASHBOARDS.judges, judgesDashboard(settings).build()],
  ]);
}
