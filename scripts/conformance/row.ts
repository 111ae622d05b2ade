/** A row of the robot's table: a framework, the instrumentation that exports it, and the agent script that plays it. */
import type { HandOff } from './behaviours.ts';

export interface Row {
  readonly id: string;
  readonly framework: string;
  /** The instrumentation that writes the spans; "own" is that of the framework. */
  readonly exporter: string;
  readonly language: 'python' | 'javascript' | 'java';
  /** In `agents`, or in `capture:` for those of `scripts/capture/frameworks`. */
  readonly file: string;
  readonly api: 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ollama';
  /**
   * Names, with a bound where the newest release does not fit: `ai@5`, `openai<3`. The first is the framework, the
   * second the instrumentation, unless that is the framework's own.
   */
  readonly packages: readonly string[];
  readonly handOff: HandOff;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly variant?: string;
  /** Behaviours that the framework cannot play, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

/** Name of the row in sentences of the page. */
export function nameOf({ framework, exporter }: Row): string {
  return exporter.startsWith('own') ? framework : `${framework} with ${exporter}`;
}

/** The package's name without its bound. */
export function packageName(bounded: string): string {
  return /^(?:import:)?(@?[^@<>=~!;[\s]+)/.exec(bounded)?.[1] ?? bounded;
}

/** A name with a version, as the language's package manager takes it. */
export function pinned(row: Row, bounded: string, version: string | undefined): string {
  if (version === undefined) return bounded;
  const name = packageName(bounded);
  if (row.language !== 'python') return `${bounded.startsWith('import:') ? 'import:' : ''}${name}@${version}`;
  const extras = /\[[^\]]*\]/.exec(bounded)?.[0] ?? '';
  return `${name}${extras}==${version}`;
}

/** Makes rows of one language; most frameworks have no hand-off. */
export function rowIn(language: Row['language']) {
  return (
    id: string,
    framework: string,
    exporter: string,
    file: string,
    api: Row['api'],
    packages: readonly string[],
    more: Partial<Row> = {},
  ): Row => ({ id, framework, exporter, language, file, api, packages, handOff: 'none', ...more });
}
