/** `assay gate --init`: writes a gate file to begin with, from an experiment or, before there is one, from the configured suites. */
import { writeFile } from 'node:fs/promises';
import { type DraftSuite, draftGate, draftSuites } from '../statistics/compare/gate/draft-gate.ts';
import { unendedText } from '../statistics/compare/comparability.ts';
import { experimentsIn, findExperiment, readExperiment } from '../store/experiment/read-experiment.ts';
import { load } from './load.ts';
import { safe, type Terminal } from './terminal.ts';

interface InitFlags {
  readonly experiments?: string | undefined;
  readonly config?: string | undefined;
}

interface Origin {
  readonly from: string;
  readonly suites: readonly DraftSuite[];
  readonly next: string;
  /** A limit of the experiment, as a sentence. */
  readonly note?: string | undefined;
}

/** Never overwrites: what is there was written by somebody. */
export async function initGate(terminal: Terminal, reference: string, file: string, flags: InitFlags): Promise<void> {
  const { from, suites, next, note } = await originOf(reference, flags);
  await writeFile(file, draftGate(from, suites), { flag: 'wx' }).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isThere) throw new Error(`${file} exists and is unchanged: remove it, or name another file with --rules`);
    throw new Error(`write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const names = suites.map(({ name }) => safe(name, 80)).join(', ');
  terminal.out(`${file}: rules for ${names}, from ${safe(from, 200)}`);
  if (note !== undefined) terminal.err(`note: ${safe(note, 400)}`);
  terminal.out(`Next: look them over, then\n${next}`);
}

async function originOf(reference: string, flags: InitFlags): Promise<Origin> {
  const found = { config: flags.config, experiments: flags.experiments };
  const { settings } = await load(found, { suites: ['default'], secrets: "the store's" });
  if (reference === 'latest' && experimentsIn(settings.experimentsDir, () => {}).length === 0) return fromConfig(flags);
  const result = readExperiment(findExperiment(settings.experimentsDir, reference));
  const { id, suites } = result.experiment;
  if (suites.length === 0)
    throw new Error(`${id} was scored by no suite, so no rules can be made: score it with --suite first`);
  const gate = `  npx assay gate latest --baseline ${safe(id, 200)}`;
  const unended = unendedText(result);
  return {
    note:
      unended === undefined ? undefined : `${id} ${unended}. \`assay run --resume\` ends it before it is a baseline`,
    from: `the experiment ${id}`,
    suites: draftSuites(result),
    next: `  npx assay run <cases> --agent <agent> --repeats 3    # after your next change\n${gate}`,
  };
}

async function fromConfig({ config }: InitFlags): Promise<Origin> {
  const { suites } = await load({ config }, { secrets: "the store's" });
  return {
    from: 'the configured suites',
    suites: suites.map(({ name, criteria }) => ({
      name,
      hasCritical: criteria.some(({ capsAt }) => capsAt !== undefined),
      knowsCost: false,
    })),
    next: [
      '  npx assay run <cases> --agent <agent> --repeats 3 --name v1',
      '  npx assay run <cases> --agent <agent> --repeats 3 --name v2    # after your next change',
      '  npx assay gate v2 --baseline v1',
    ].join('\n'),
  };
}
