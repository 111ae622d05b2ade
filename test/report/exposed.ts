/** The series that a scrape exposes, parsed by the formats' own rules and not by our code. */
export interface Exposed {
  readonly type: string;
  readonly help: string;
  readonly samples: number;
  /** Label names in their order, one text for each order that occurs; `le` belongs to histograms. */
  readonly labels: readonly string[];
}

/** By the name in the definitions: OpenMetrics calls a counter's family without `_total`. */
export function exposedIn(body: string): ReadonlyMap<string, Exposed> {
  const found = new Map<string, { type: string; help: string; samples: number; labels: Set<string> }>();
  let current: { type: string; help: string; samples: number; labels: Set<string> } | undefined;
  let family = '';
  const isOpenMetrics = body.endsWith('# EOF\n');
  let help = '';
  for (const line of body.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help = rest;
    if (kind === 'TYPE') {
      family = name;
      current = { type: rest, help, samples: 0, labels: new Set() };
      found.set(isOpenMetrics && rest === 'counter' ? `${name}_total` : name, current);
    }
    if (line === '' || line.startsWith('#')) continue;
    const sample =
      /^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?<labels>(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (?<value>\S+)(?<exemplar> # \{.*\} \S+ \S+)?$/.exec(
        line,
      );
    if (sample?.groups === undefined || current === undefined) throw new Error(`not a sample: ${line}`);
    const suffix = sample.groups.name?.slice(family.length) ?? '';
    const allowed =
      current.type === 'histogram'
        ? ['_bucket', '_sum', '_count']
        : isOpenMetrics && current.type === 'counter'
          ? ['_total']
          : [''];
    if (!sample.groups.name?.startsWith(family) || !allowed.includes(suffix)) {
      throw new Error(`a sample of another metric below ${family}: ${line}`);
    }
    const names = [...(sample.groups.labels ?? '').matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label);
    current.labels.add(names.filter((label) => !(label === 'le' && suffix === '_bucket')).join(','));
    current.samples += 1;
  }
  return new Map([...found].map(([name, exposed]) => [name, { ...exposed, labels: [...exposed.labels] }]));
}
