/** The commands: each is a file in `commands/`, loaded when it is asked for. `--help` shows the groups of daily work. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** Groups in the order of work, and the text that shows them: that of `--help` or that of `assay more`. */
export const GROUPS = {
  Begin: 'help',
  'Look at conversations': 'help',
  'Improve suites': 'help',
  'Release versions': 'help',
  'Experiments and cases': 'more',
  'Suites and judges': 'more',
  Data: 'more',
  Operate: 'more',
} as const;

type Add = (program: Command, terminal: Terminal) => void;
type Entry = readonly [group: keyof typeof GROUPS, load: () => Promise<Add>];

/** Commands by name, in the order of the help. Each is loaded when it is used, which halves the time of a start. */
export const COMMANDS: { readonly [name: string]: Entry } = {
  init: ['Begin', async () => (await import('./commands/init.ts')).addInit],
  serve: ['Begin', async () => (await import('./commands/serve.ts')).addServe],
  demo: ['Begin', async () => (await import('./commands/demo.ts')).addDemo],
  watch: ['Look at conversations', async () => (await import('./commands/watch.ts')).addWatch],
  explain: ['Look at conversations', async () => (await import('./commands/explain.ts')).addExplain],
  inspect: ['Look at conversations', async () => (await import('./commands/inspect.ts')).addInspect],
  doctor: ['Look at conversations', async () => (await import('./commands/doctor.ts')).addDoctor],
  suite: ['Improve suites', async () => (await import('./commands/suite.ts')).addSuite],
  score: ['Improve suites', async () => (await import('./commands/score.ts')).addScore],
  estimate: ['Improve suites', async () => (await import('./commands/estimate.ts')).addEstimate],
  run: ['Release versions', async () => (await import('./commands/run.ts')).addRun],
  gate: ['Release versions', async () => (await import('./commands/gate.ts')).addGate],
  dataset: ['Experiments and cases', async () => (await import('./commands/dataset.ts')).addDataset],
  experiments: ['Experiments and cases', async () => (await import('./commands/experiments.ts')).addExperiments],
  show: ['Experiments and cases', async () => (await import('./commands/experiments.ts')).addExperiments],
  compare: ['Experiments and cases', async () => (await import('./commands/compare.ts')).addCompare],
  prefer: ['Experiments and cases', async () => (await import('./commands/prefer.ts')).addPrefer],
  golden: ['Experiments and cases', async () => (await import('./commands/golden.ts')).addGolden],
  release: ['Experiments and cases', async () => (await import('./commands/release.ts')).addRelease],
  backtest: ['Suites and judges', async () => (await import('./commands/backtest.ts')).addBacktest],
  shadow: ['Suites and judges', async () => (await import('./commands/shadow.ts')).addShadow],
  labels: ['Suites and judges', async () => (await import('./commands/labels.ts')).addLabels],
  learn: ['Suites and judges', async () => (await import('./commands/learn.ts')).addLearn],
  validity: ['Suites and judges', async () => (await import('./commands/validity.ts')).addValidity],
  send: ['Data', async () => (await import('./commands/send.ts')).addSend],
  export: ['Data', async () => (await import('./commands/store-copy.ts')).addStore],
  forget: ['Data', async () => (await import('./commands/store-copy.ts')).addStore],
  validate: ['Operate', async () => (await import('./commands/validate.ts')).addValidate],
  detect: ['Operate', async () => (await import('./commands/detect.ts')).addDetect],
  mcp: ['Operate', async () => (await import('./commands/mcp.ts')).addMcp],
  token: ['Operate', async () => (await import('./commands/token.ts')).addToken],
  sessions: ['Operate', async () => (await import('./commands/token.ts')).addToken],
  store: ['Operate', async () => (await import('./commands/store-copy.ts')).addStore],
  journal: ['Operate', async () => (await import('./commands/store-copy.ts')).addStore],
  'dead-letters': ['Operate', async () => (await import('./commands/dead-letters.ts')).addDeadLetters],
};
