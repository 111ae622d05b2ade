/** A link to the same suite, agent and time in the team's own dashboards. */
import type { Trend } from '../../api/trend.ts';
import { dashboardLink } from '../../model/dashboard-link.ts';
import { useService } from '../api/use-service.ts';
import type { Place } from '../shell/place.ts';

interface DashboardLinkProps {
  readonly trend: Trend | undefined;
  readonly place: Place;
}

export function DashboardLink({ trend, place: { query } }: DashboardLinkProps) {
  const template = useService()?.dashboard_url;
  if (template === undefined || trend === undefined) return null;
  const { suite, since, until, versions } = trend;
  const href = dashboardLink(template, {
    suite,
    // A dashboard shows one agent: the one that is chosen, or that was deployed last.
    agent: query.get('agent') ?? versions.at(-1)?.agent ?? '',
    environment: query.get('environment') ?? '',
    from: Date.parse(since),
    to: Date.parse(until),
  });
  return (
    <p class="aside">
      <a href={href} target="_blank" rel="noreferrer">
        open dashboard ↗
      </a>
    </p>
  );
}
