/** Says what is left to do after `assay init`: packages to install, the line that loads the file, ids and content. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { captureSwitchOf } from '../../report/inspect/capture-switches.ts';
import type { Terminal } from '../terminal.ts';
import type { Framework, Language } from './frameworks.ts';
import { EXPORTER_PACKAGES, type Plan, TRACING_FILES } from './init-files.ts';
import { installedVersion, type Project } from './project.ts';

/** Commands that install, by the file that shows which one a project uses. */
const INSTALLERS: Readonly<Record<Language, readonly (readonly [file: string, command: string])[]>> = {
  python: [
    ['uv.lock', 'uv add'],
    ['poetry.lock', 'poetry add'],
    ['Pipfile', 'pipenv install'],
    ['', 'pip install'],
  ],
  javascript: [
    ['pnpm-lock.yaml', 'pnpm add'],
    ['yarn.lock', 'yarn add'],
    ['bun.lock', 'bun add'],
    ['', 'npm install'],
  ],
};

const LOADED: Readonly<Record<Language, string>> = {
  python: 'import assay_tracing          # the first line of your program',
  javascript: `node --import ./${TRACING_FILES.javascript} <your program>     # or NODE_OPTIONS="--import ./${TRACING_FILES.javascript}"`,
};

export function sayWhatToDo(folder: string, plan: Plan & Project, { out, paint }: Terminal): void {
  const { frameworks, languages, telemetry, otlp } = plan;
  if (frameworks.length === 0)
    out(
      '\nNo known framework is among the dependencies: the file exports whatever spans your program writes. Which ones Assay needs: docs/start/frameworks.md, "Your own code". Frameworks can be named by --framework.',
    );
  else out(`\nrecognized: ${[...new Set(frameworks.map(({ name }) => name))].join(', ')}`);
  for (const language of languages) {
    const own = frameworks.filter((one) => one.language === language);
    const install = packagesOf(language, own).filter((name) => !isInstalled(folder, language, name));
    if (install.length > 0)
      out(`\n${paint('bold', 'install')}\n  ${installerOf(folder, language)} ${install.join(' ')}`);
    out(`\n${paint('bold', 'load')}\n  ${LOADED[language]}`);
    if (telemetry[language].length > 0) out(`  ${ALREADY_SET_UP[language](telemetry[language].join(', '), otlp)}`);
  }
  for (const framework of frameworks) sayOf(framework, plan, { out, paint });
  const { OTEL_EXPORTER_OTLP_ENDPOINT: elsewhere } = process.env;
  if (elsewhere !== undefined && elsewhere !== otlp)
    out(`\nOTEL_EXPORTER_OTLP_ENDPOINT is set to another address: where the agent runs, set it to ${otlp}`);
}

const ALREADY_SET_UP: Readonly<Record<Language, (by: string, otlp: string) => string>> = {
  python: (by) => `${by} may set OpenTelemetry up: import it after that, and it adds an exporter`,
  javascript: (by, otlp) =>
    `${by} may set OpenTelemetry up: then do not load this file, and give that an OTLP exporter to ${otlp}`,
};

function sayOf(
  { name, section, tracing }: Framework,
  { otlp }: Plan,
  { out, paint }: Pick<Terminal, 'out' | 'paint'>,
): void {
  out(`\n${paint('bold', name)}  docs/start/frameworks.md, "${section}"`);
  if (tracing === undefined) {
    out(`  Your own code switches its spans on, as that section shows. Send them to ${otlp}`);
    return;
  }
  if (tracing.exporter === 'env')
    for (const [key, value] of Object.entries(tracing.env ?? {})) out(`  set ${key}=${value.replace('<otlp>', otlp)}`);
  if (tracing.yours !== undefined) out(`  do: ${tracing.yours}`);
  out(`  conversation id:\n${tracing.conversation.map((line) => `    ${line}`).join('\n')}`);
  if (tracing.scope !== undefined) out(`  if content is missing: ${captureSwitchOf(tracing.scope).remedy}`);
}

function packagesOf(language: Language, frameworks: readonly Framework[]): readonly string[] {
  const own = frameworks.flatMap(({ tracing }) => tracing?.install ?? []);
  const isExporterOwn = frameworks.length > 0 && frameworks.every(({ tracing }) => tracing?.exporter === 'own');
  return [...new Set([...own, ...(isExporterOwn ? [] : EXPORTER_PACKAGES[language])])];
}

/** Looks only for packages of npm. Python may keep its packages anywhere, and installing one twice does no harm. */
function isInstalled(folder: string, language: Language, bounded: string): boolean {
  const name = bounded.replace(/(?<=.)@.*/, '');
  return language === 'javascript' && installedVersion(folder, name) !== undefined;
}

function installerOf(folder: string, language: Language): string {
  const [, command = ''] = INSTALLERS[language].find(([file]) => existsSync(path.join(folder, file))) ?? [];
  return command;
}
