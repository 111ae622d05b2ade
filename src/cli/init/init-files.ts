/**
 * The files that `assay init` writes. The first line of each carries a digest of the rest: a file that was changed, or
 * that somebody else wrote, is never overwritten and never removed, and no list of what was written is kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import type { Framework, Language } from './frameworks.ts';
import type { Project } from './project.ts';

interface InitFile {
  readonly name: string;
  readonly text: string;
}

export const TRACING_FILES: Readonly<Record<Language, string>> = {
  python: 'assay_tracing.py',
  javascript: 'assay-tracing.mjs',
};
const CONFIGURATION = 'assay.yaml';
const SUITE = 'suites/my-agent.yaml';
const NAMES = [...Object.values(TRACING_FILES), CONFIGURATION, SUITE];

export interface Plan extends Pick<Project, 'name' | 'version' | 'telemetry'> {
  readonly otlp: string;
  /** Languages of which a tracing file is written. */
  readonly languages: readonly Language[];
  readonly frameworks: readonly Framework[];
}

export function filesOf(plan: Plan): readonly InitFile[] {
  const texts: readonly (readonly [string, string])[] = [
    ...plan.languages.map((language) => {
      const own = plan.frameworks.filter((one) => one.language === language);
      return [TRACING_FILES[language], (language === 'python' ? pythonText : nodeText)(own, plan)] as const;
    }),
    [CONFIGURATION, CONFIGURATION_TEXT],
    [SUITE, SUITE_TEXT.replace('<suite>', suiteNameOf(plan))],
  ];
  return texts.map(([name, text]) => ({ name, text: signed(name, text) }));
}

/** Named after the project, so that another one's suite is not taken for it. */
export function suiteNameOf({ name }: Pick<Plan, 'name'>): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return /^[a-z]/.test(plain) ? plain : 'my-agent';
}

/** False where something is there already. */
export function writeNew(folder: string, { name, text }: InitFile): boolean {
  const file = path.join(folder, name);
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && existsSync(file)) return false;
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
      throw new CommandFailure(`${file} cannot be written: you may not write in this folder`, EXIT.input);
    throw error;
  }
}

/** Removes what is as it was written, unless a configuration that stays names it. */
export function removeUnchanged(folder: string): { readonly removed: string[]; readonly left: string[] } {
  const there = NAMES.filter((name) => existsSync(path.join(folder, name)));
  const isNamed = there.includes(CONFIGURATION) && !isUnchanged(folder, CONFIGURATION) && namesSuite(folder);
  const { removed = [], left = [] } = Object.groupBy(there, (name) =>
    isUnchanged(folder, name) && !(isNamed && name === SUITE) ? 'removed' : 'left',
  );
  for (const name of removed) rmSync(path.join(folder, name));
  const suites = path.join(folder, path.dirname(SUITE));
  if (removed.includes(SUITE)) {
    try {
      rmdirSync(suites);
    } catch {
      // It holds other suites.
    }
  }
  return { removed, left };
}

function namesSuite(folder: string): boolean {
  return readFileSync(path.join(folder, CONFIGURATION), 'utf8').includes(SUITE);
}

export function isUnchanged(folder: string, name: string): boolean {
  try {
    const text = readFileSync(path.join(folder, name), 'utf8');
    return text === signed(name, text.slice(text.indexOf('\n') + 1));
  } catch {
    return false;
  }
}

function signed(name: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name.endsWith('.mjs') ? '//' : '#'} Written by \`assay init\` (${digest}), which removes it with --undo unless it was changed.\n${text}`;
}

/** Settings of one language, from all frameworks. */
function environmentOf(frameworks: readonly Framework[], { name, version, otlp }: Plan): readonly [string, string][] {
  return Object.entries({
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
    OTEL_SERVICE_NAME: name,
    // Another version for each release, so that they can be compared.
    OTEL_RESOURCE_ATTRIBUTES: `service.version=${version}`,
    // The default of 128 loses the answer of a long conversation.
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '4096',
    // Spans leave after a second, where the default is five.
    OTEL_BSP_SCHEDULE_DELAY: '1000',
    ...Object.assign({}, ...frameworks.map(({ tracing }) => tracing?.env ?? {})),
  });
}

function partsOf(frameworks: readonly Framework[], part: 'imports' | 'code', { otlp }: Plan): readonly string[] {
  const lines = frameworks.flatMap(({ tracing }) => tracing?.[part] ?? []).map((line) => line.replace('<otlp>', otlp));
  const once = [...new Set(lines)];
  return part === 'imports' ? once.toSorted() : once;
}

function pythonText(frameworks: readonly Framework[], plan: Plan): string {
  // The variable may be the address of the exporter that the program has already.
  const isSetUp = plan.telemetry.python.length > 0;
  const address = isSetUp ? `endpoint="${plan.otlp}/v1/traces"` : '';
  const environment = environmentOf(frameworks, plan)
    .filter(([key]) => !isSetUp || key !== 'OTEL_EXPORTER_OTLP_ENDPOINT')
    .map(([key, value]) => `os.environ.setdefault("${key}", "${value}")`);
  return `"""Sends the spans of this agent to Assay. Import it first, or after your own set-up of OpenTelemetry."""
import os

# Variables that are set already are kept. Give each release a version of its own, so that they can be compared.
${environment.join('\n')}

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
${lines(partsOf(frameworks, 'imports', plan))}
provider = trace.get_tracer_provider()
if not isinstance(provider, TracerProvider):
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
# Tests set OTEL_TRACES_EXPORTER=none, and send nothing.
if os.environ.get("OTEL_TRACES_EXPORTER") != "none":
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(${address})))
${lines(partsOf(frameworks, 'code', plan))}`;
}

function nodeText(frameworks: readonly Framework[], plan: Plan): string {
  const environment = environmentOf(frameworks, plan).map(([key, value]) => `process.env.${key} ??= '${value}';`);
  const own = frameworks.length > 0 && frameworks.every(({ tracing }) => tracing?.exporter === 'own');
  const exporter = own ? [] : NODE_EXPORTER;
  return `// Sends the spans of this agent to Assay.
${[...(own ? [] : NODE_IMPORTS), ...partsOf(frameworks, 'imports', plan)].join('\n')}

// Variables that are set already are kept. Give each release a version of its own, so that they can be compared.
${environment.join('\n')}
${lines(exporter)}${lines(partsOf(frameworks, 'code', plan))}`;
}

const NODE_IMPORTS = [
  "import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';",
  "import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources';",
  "import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';",
];
const NODE_EXPORTER = [
  'const provider = new NodeTracerProvider({',
  '  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),',
  '  // Tests set OTEL_TRACES_EXPORTER=none, and send nothing.',
  "  spanProcessors: process.env.OTEL_TRACES_EXPORTER === 'none' ? [] : [new BatchSpanProcessor(new OTLPTraceExporter())],",
  '});',
  'provider.register();',
  '// A program that ends by process.exit() has to await provider.forceFlush() before.',
  "process.once('beforeExit', () => provider.forceFlush());",
];

/** A paragraph; nothing where there are no lines. */
function lines(of: readonly string[]): string {
  return of.length === 0 ? '' : `\n${of.join('\n')}\n`;
}

const CONFIGURATION_TEXT = `# Settings of Assay: docs/reference/configuration.md. \`assay validate\` checks them.
# \`default\` and \`honesty\` count the faults that any agent can have. The last suite is yours.
suites: [default, honesty, ./suites/my-agent.yaml]
# Conversations are stored here, with their content: keep the folder out of version control.
data_dir: ./.assay
`;

const SUITE_TEXT = `# Questions about your agent, answered yes or no for each turn: docs/score/suites.md. \`assay validate\` checks them.
suite: <suite>
version: '1'
scope: turn
criteria:
  # Ask what a good turn of your agent has. \`final_answer\` is what the user read. \`tools('look_up')\` are the calls of a
  # tool, each with \`args\`, \`result\`, \`ok\` and \`failed\`.
  - name: answer_can_be_read
    question: Is there an answer of at most 1500 characters?
    weight: 1
    check: size(final_answer) > 0 && size(final_answer) <= 1500
  # \`assay inspect\` lists the tools that your agent called, and \`assay suite draft --tools <file>\` proposes questions
  # from their schemas. The weights sum to 1. A second question could be:
  # - name: looked_up_once
  #   question: Was look_up called at most once?
  #   weight: 0.5
  #   check: size(tools('look_up')) <= 1
`;

/** Packages to install beside those of the frameworks. Version 3 of the SDK in JavaScript fits no framework yet. */
export const EXPORTER_PACKAGES: Readonly<Record<Language, readonly string[]>> = {
  python: ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'],
  javascript: [
    '@opentelemetry/api@1.9',
    '@opentelemetry/resources@2',
    '@opentelemetry/sdk-trace-node@2',
    '@opentelemetry/exporter-trace-otlp-proto@0.223',
  ],
};
