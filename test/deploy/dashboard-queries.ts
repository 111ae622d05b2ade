/** What the dashboards ask Prometheus, panel by panel. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERT_MARKS, VERSION_MARKS } from '../../deploy/grafana/source/panels.ts';

export interface Panel {
  readonly board: string;
  readonly title: string;
  readonly description: string;
  readonly noValue: string | undefined;
  readonly queries: readonly string[];
}

/** As far as it matters here. */
interface WrittenPanel {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly fieldConfig?: { readonly defaults?: { readonly noValue?: string } };
  readonly targets?: readonly { readonly expr?: string }[];
  readonly panels?: readonly WrittenPanel[];
}

export function panelsOf(boards: ReadonlyMap<string, Dashboard>): readonly Panel[] {
  const flat = (panels: readonly WrittenPanel[]): readonly WrittenPanel[] =>
    panels.flatMap((panel) => [panel, ...flat(panel.panels ?? [])]);
  return [...boards].flatMap(([board, { panels = [] }]) =>
    // The cast holds for what the builders make.
    flat(panels as readonly WrittenPanel[])
      .filter(({ type }) => type !== 'row')
      .map(({ title = '', description = '', fieldConfig, targets = [] }) => ({
        board,
        title,
        description,
        noValue: fieldConfig?.defaults?.noValue,
        queries: targets.map(({ expr = '' }) => expr),
      })),
  );
}

export const MARKS: readonly string[] = [VERSION_MARKS, ALERT_MARKS];

/** As Grafana would put its variables. */
export function withVariables(query: string, values: Readonly<Record<string, string>>): string {
  return query.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no variable is called ${name}: ${query}`);
    return value;
  });
}
