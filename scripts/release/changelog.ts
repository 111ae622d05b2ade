/**
 * CHANGELOG.md as data: a section for each version, the newest first. An entry is one line, under the heading of its
 * component. In the section of the next version it may also stand above all headings and name its component, so that
 * branches add lines without knowing of each other; a release files it under its heading.
 *
 *     ## 0.2.0 (unreleased)
 *
 *     - [BUGFIX] Redaction: a key in the query of a URL is removed.
 */
import { compareVersions } from '../../src/store/migration.ts';

export const COMPONENTS = [
  ...['Receive', 'Redaction', 'Journal', 'Normalize', 'Assemble', 'Score', 'Judges', 'Feedback', 'Store', 'Kafka'],
  ...['Metrics', 'Alerts', 'Detect', 'API', 'Page', 'MCP', 'Experiments', 'Python', 'CLI', 'Package', 'Security'],
  ...['Deploy', 'Docs'],
];
const UNRELEASED = 'unreleased';
const WIDTH_MAX = 120;
const ENTRY = /^- \[(?:FEATURE|CHANGE|ENHANCEMENT|BUGFIX|SECURITY)\] (.+)$/;
const HEADING = /^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$/;

interface Section {
  readonly version: string;
  /** Undefined in the section of the next version. */
  readonly date: string | undefined;
  readonly begins: number;
  readonly ends: number;
  /** Sentences before the first entry. */
  readonly prose: readonly string[];
  /** Lines of entries by their component. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

interface Changelog {
  readonly sections: readonly Section[];
  readonly mistakes: readonly string[];
}

export function readChangelog(text: string): Changelog {
  const lines = text.split('\n');
  const mistakes: string[] = [];
  const begins = lines.flatMap((line, at) => (line.startsWith('## ') ? [at] : []));
  const sections = begins.flatMap((begin, index): Section[] => {
    const [, version, date] = HEADING.exec(lines[begin] ?? '') ?? [];
    if (version === undefined || date === undefined) {
      mistakes.push(`${begin + 1}: a section is "## 1.2.3 (2026-12-31)" or "## 1.2.3 (${UNRELEASED})"`);
      return [];
    }
    if (date === UNRELEASED && index > 0) mistakes.push(`${begin + 1}: only the first section is not released yet`);
    const ends = begins[index + 1] ?? lines.length;
    const isOpen = date === UNRELEASED;
    const content = contentOf(lines.slice(begin + 1, ends), { isOpen, above: begin + 1 }, mistakes);
    return [{ version, date: isOpen ? undefined : date, begins: begin, ends, ...content }];
  });
  for (const [index, { version }] of sections.entries()) {
    const older = sections[index + 1]?.version;
    if (older !== undefined && compareVersions(version, older) <= 0)
      mistakes.push(`${version} is above ${older}: the newest version is the first`);
  }
  return { sections, mistakes };
}

/** Dates the section of a version, with its entries under the headings of their components. */
export function released(text: string, version: string, date: string): string {
  const section = sectionOf(text, version);
  const lines = text.split('\n');
  const after = lines.slice(section.ends);
  return [
    ...lines.slice(0, section.begins),
    `## ${version} (${date})`,
    '',
    ...bodyOf(section),
    ...(after.length === 0 ? [] : ['', ...after]),
  ].join('\n');
}

/** Puts an empty section for the next version above all others. */
export function begun(text: string, version: string): string {
  return text.replace(/^## /m, `## ${version} (${UNRELEASED})\n\n## `);
}

/** Release notes: the body of one section. */
export function notesOf(text: string, version: string): string {
  return [`# Assay ${version}`, '', ...bodyOf(sectionOf(text, version)), ''].join('\n');
}

function sectionOf(text: string, version: string): Section {
  const found = readChangelog(text).sections.find((section) => section.version === version);
  if (found === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return found;
}

function bodyOf({ prose, entries }: Section): readonly string[] {
  const groups = COMPONENTS.flatMap((component) => {
    const own = entries.get(component) ?? [];
    return own.length === 0 ? [] : [[`### ${component}`, '', ...own]];
  });
  return [...(prose.length === 0 ? [] : [prose]), ...groups].flatMap((part, index) =>
    index === 0 ? part : ['', ...part],
  );
}

function contentOf(
  lines: readonly string[],
  { isOpen, above }: { readonly isOpen: boolean; readonly above: number },
  mistakes: string[],
): Pick<Section, 'prose' | 'entries'> {
  const entries = new Map<string, string[]>();
  const prose: string[] = [];
  let heading: string | undefined;
  for (const [index, line] of lines.entries()) {
    const wrong = (what: string) => mistakes.push(`${above + index + 1}: ${what}: ${line}`);
    if (line.length > WIDTH_MAX) wrong(`an entry is one line of at most ${WIDTH_MAX} characters`);
    if (line === '') continue;
    if (line.startsWith('### ')) {
      heading = line.slice(4);
      if (!COMPONENTS.includes(heading)) wrong(`a component is one of ${COMPONENTS.join(', ')}`);
      continue;
    }
    const said = ENTRY.exec(line)?.[1];
    if (said === undefined) {
      if (heading === undefined && entries.size === 0 && /^\w/.test(line)) prose.push(line);
      else wrong('an entry is one line, "- [BUGFIX] Component: text"');
      continue;
    }
    const named = COMPONENTS.find((component) => said.startsWith(`${component}: `));
    if (heading === undefined && named === undefined) wrong(`it names no component (${COMPONENTS.join(', ')})`);
    if (heading === undefined && !isOpen) wrong('entries of a released version are under their component');
    const component = heading ?? named ?? '';
    const shown = heading === undefined ? line.replace(/\] \w+: (.)/, (_, first) => `] ${first.toUpperCase()}`) : line;
    entries.set(component, [...(entries.get(component) ?? []), shown]);
  }
  return { prose, entries };
}
