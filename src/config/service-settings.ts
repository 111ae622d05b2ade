/** Where the service listens, where it keeps things, what it scores with, and what it is called: the settings that stand in no mapping. */
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { section } from './section.ts';
import { choice, count, type Declared, folder, setting, yesOrNo } from './setting.ts';
import type { Sources } from './sources.ts';

const port = <const D extends Declared>(declared: D, help: string) => count({ ...declared, min: 0, max: 65_535 }, help);
const hostText = z.string('an address').regex(/^[\w.:-]+$/, 'an address such as 127.0.0.1, 0.0.0.0 or ::1');

export const SERVICE = section('start', 'Where the service listens, and where it keeps things.', {
  host: setting(
    { key: 'host', variable: 'ASSAY_HOST', flag: '--host <address>', default: '127.0.0.1' },
    'Address to listen on; 0.0.0.0 accepts connections from other machines.',
    hostText,
  ),
  dataDir: folder(
    { key: 'data_dir', variable: 'ASSAY_DATA_DIR', flag: '--data-dir <folder>', default: './data' },
    'Folder of the journal and, unless instances share one, of the store.',
  ),
  acceptLoss: yesOrNo(
    { key: 'accept_loss', variable: 'ASSAY_ACCEPT_LOSS', flag: '--accept-loss', default: false, rare: true },
    'Start although data are lost, once: see docs/operate/operating.md.',
  ),
  experimentsDir: folder(
    {
      key: 'experiments',
      variable: 'ASSAY_EXPERIMENTS',
      flag: '--experiments <folder>',
      example: './data/experiments',
      reload: true,
      rare: true,
    },
    'Folder of the experiments; `experiments` in `data_dir` unless given.',
  ),
  otlpGrpcPort: port(
    { key: 'otlp_grpc_port', variable: 'ASSAY_OTLP_GRPC_PORT', flag: '--otlp-grpc-port <port>', default: 4317 },
    'Port for OTLP over gRPC; 0 is any free port.',
  ),
  otlpHttpPort: port(
    { key: 'otlp_http_port', variable: 'ASSAY_OTLP_HTTP_PORT', flag: '--otlp-http-port <port>', default: 4318 },
    'Port for OTLP over HTTP.',
  ),
  httpPort: port(
    { key: 'http_port', variable: 'ASSAY_HTTP_PORT', flag: '--http-port <port>', default: 4319 },
    'Port for metrics and the API.',
  ),
}).build((values, sources) => {
  expectDistinct(sources, [
    ['otlp_grpc_port', values.otlpGrpcPort],
    ['otlp_http_port', values.otlpHttpPort],
    ['http_port', values.httpPort],
  ]);
  return { ...values, experimentsDir: values.experimentsDir ?? path.join(values.dataDir, 'experiments') };
});

function expectDistinct(sources: Sources, ports: readonly (readonly [key: string, port: number])[]): void {
  for (const [index, [key, port]] of ports.entries()) {
    for (const [other] of ports.slice(0, index).filter(([, earlier]) => earlier === port && port !== 0))
      sources.mistake(key, `${port} is the ${other} too`, 'a port of its own, or 0 for any free one');
  }
}

/** Anything else is a path. */
const PACK_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const references = 'a list of names and paths';
const suiteList = z.array(z.string(references).min(1, 'names and paths that are not empty'), references).readonly();

export const SUITES = section('reload', 'What conversations are scored with.', {
  // `response-clarity` and `error-recovery` judge prose by rules of thumb, `scheduling` and `sql-agent` one kind of agent each: they have to be named.
  suites: setting(
    { key: 'suites', default: ['default', 'honesty'] },
    'Built-in packs by name; files and folders relative to this file.',
    suiteList,
  ),
  shadowSuites: setting(
    { key: 'shadow_suites', default: [], rare: true },
    'Candidates that run beside the live suites of the same names and count for nothing (suites.md).',
    suiteList,
  ),
}).build(({ suites, shadowSuites }, { places }) => ({
  suites,
  // Names of packs, or absolute paths.
  shadowSuites: shadowSuites.map((reference) =>
    PACK_NAME.test(reference) ? reference : path.resolve(places.baseDir, reference),
  ),
}));

const projectsExpected =
  'names of small letters, digits and -, at most 30 characters, each with its configuration file: payments: ./payments.yaml';
/** Names that hosts and settings have already. */
const NO_PROJECT = ['default', 'localhost'];
const projectFiles = z
  .record(
    z
      .string(projectsExpected)
      .regex(/^[a-z][a-z0-9-]{0,29}$/, projectsExpected)
      .refine((name) => !NO_PROJECT.includes(name), projectsExpected),
    z.string(projectsExpected).min(1, projectsExpected),
    projectsExpected,
  )
  .readonly();

const instanceName = z
  .string('a name')
  .regex(/^[\w.-]{1,128}$/, 'a name of letters, digits, dots, _ and -, at most 128 characters');

export const PROCESS = section('reload', 'This process among others.', {
  instance: setting(
    { key: 'instance', variable: 'ASSAY_INSTANCE', example: 'assay-0', reload: false, rare: true },
    'Name of this instance in its counters, the same again after a restart; the name of the host unless given.',
    instanceName,
  ),
  projects: setting(
    { key: 'projects', default: {}, example: { payments: './payments.yaml' }, reload: false, rare: true },
    'Configuration files of other projects that this process runs behind the same ports, by their names (projects.md).',
    projectFiles,
  ),
  logLevel: choice(
    ['debug', 'info', 'warn', 'error'],
    { key: 'log_level', variable: 'ASSAY_LOG_LEVEL', default: 'info' },
    'The least severe lines of the log.',
  ),
}).build((values, { places }) => ({
  ...values,
  instance: values.instance ?? hostname(),
  // Relative to the file that names them.
  projects: Object.entries(values.projects).map(([name, file]) => ({ name, file: path.resolve(places.baseDir, file) })),
}));
