/** The commands: each is a file in `commands/`, loaded when it is asked for. */
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** Commands by name, in the order of `--help`. Each is loaded when it is used, which halves the time of a start. */
export const COMMANDS: { readonly [name: string]: () => Promise<(program: Command, terminal: Terminal) => void> } = {
  serve: async () => (await import('./commands/serve.ts')).addServe,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
  dataset: async () => (await import('./commands/dataset.ts')).addDataset,
  prefer: async () => (await import('./commands/prefer.ts')).addPrefer,
  run: async () => (await import('./commands/run.ts')).addRun,
  experiments: async () => (await import('./commands/experiments.ts')).addExperiments,
  show: async () => (await import('./commands/experiments.ts')).addExperiments,
  score: async () => (await import('./commands/score.ts')).addScore,
  send: async () => (await import('./commands/send.ts')).addSend,
  estimate: async () => (await import('./commands/estimate.ts')).addEstimate,
  explain: async () => (await import('./commands/explain.ts')).addExplain,
  compare: async () => (await import('./commands/compare.ts')).addCompare,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  detect: async () => (await import('./commands/detect.ts')).addDetect,
  gate: async () => (await import('./commands/gate.ts')).addGate,
  backtest: async () => (await import('./commands/backtest.ts')).addBacktest,
  shadow: async () => (await import('./commands/shadow.ts')).addShadow,
  export: async () => (await import('./commands/store-copy.ts')).addStore,
  golden: async () => (await import('./commands/golden.ts')).addGolden,
  inspect: async () => (await import('./commands/inspect.ts')).addInspect,
  forget: async () => (await import('./commands/store-copy.ts')).addStore,
  mcp: async () => (await import('./commands/mcp.ts')).addMcp,
  labels: async () => (await import('./commands/labels.ts')).addLabels,
  store: async () => (await import('./commands/store-copy.ts')).addStore,
  sessions: async () => (await import('./commands/token.ts')).addToken,
  token: async () => (await import('./commands/token.ts')).addToken,
  journal: async () => (await import('./commands/store-copy.ts')).addStore,
  learn: async () => (await import('./commands/learn.ts')).addLearn,
  suite: async () => (await import('./commands/suite.ts')).addSuite,
  validity: async () => (await import('./commands/validity.ts')).addValidity,
  validate: async () => (await import('./commands/validate.ts')).addValidate,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).addDeadLetters,
};
