/**
 * The targets of the links in alerts and dashboards, in this one place. `npm run generate` accepts others:
 *
 *   npm run generate -- --docs https://git.example.com/assay/blob/main/docs --grafana https://grafana.example.com --assay https://assay.example.com
 *
 * As shipped, a runbook is a path in this repository, and the other links are the addresses of a local installation.
 */
export interface Links {
  /** Folder with the runbooks in it. */
  readonly docs: string;
  readonly grafana: string;
  /** Assay's own HTTP port, for the API. */
  readonly assay: string;
}

export const LINKS: Links = { docs: 'docs', grafana: 'http://localhost:3000', assay: 'http://localhost:4319' };

export const DASHBOARDS = {
  quality: 'assay-quality',
  versions: 'assay-versions',
  efficiency: 'assay-efficiency',
  health: 'assay-health',
  judges: 'assay-judges',
} as const;
export type Dashboard = keyof typeof DASHBOARDS;
