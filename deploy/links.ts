/**
 * The targets of the links in alerts and dashboards, in this one place. `npm run generate` accepts others:
 *
 *   npm run generate -- --docs https://git.example.com/assay/blob/main/docs --grafana https://grafana.example.com --assay https://assay.example.com
 *
 * As shipped, they are the addresses of a local installation. The service serves the runbooks itself, so `--assay` is
 * enough for them.
 */
export interface Links {
  /** Folder with `runbooks` in it; the service has one. */
  readonly docs: string;
  readonly grafana: string;
  /** Assay's own HTTP port, for the API. */
  readonly assay: string;
}

const LOCAL = 'http://localhost:4319';

export const LINKS: Links = { docs: LOCAL, grafana: 'http://localhost:3000', assay: LOCAL };

export const DASHBOARDS = {
  quality: 'assay-quality',
  versions: 'assay-versions',
  efficiency: 'assay-efficiency',
  health: 'assay-health',
  judges: 'assay-judges',
} as const;
export type Dashboard = keyof typeof DASHBOARDS;
