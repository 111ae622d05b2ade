/** Whether an experiment is gone on with as it began: what it was tried on and what it is scored by must be what they were. */
import type { Experiment, ExperimentSuite } from '../../model/experiment.ts';

type ExperimentPlan = Pick<Experiment, 'dataset' | 'agent' | 'suites' | 'repeats' | 'seed'>;

/**
 * The differences; empty if the experiment may be resumed. `agent`: the command line may have been changed on purpose.
 */
export function whatIsAnother(
  began: ExperimentPlan,
  now: ExperimentPlan,
  options: { readonly agent: 'must be the same' | 'may be another' },
): readonly string[] {
  const found: string[] = [];
  if (began.dataset.fingerprint !== now.dataset.fingerprint) {
    const { name, version, cases } = began.dataset;
    const shown = (one: Experiment['dataset']) => `${one.name} ${one.version}, ${one.cases} cases of ${one.file}`;
    const isSame = name === now.dataset.name && version === now.dataset.version && cases === now.dataset.cases;
    found.push(
      `the dataset: it began with ${shown(began.dataset)}, and ${isSame ? 'cases of it have been changed since' : `now it is ${shown(now.dataset)} (--only and --tag choose as well)`}`,
    );
  }
  if (began.repeats !== now.repeats)
    found.push(`--repeats: it began with ${began.repeats}, and now it is ${now.repeats}`);
  if (began.seed !== now.seed) found.push(`--seed: it began with ${began.seed}, and now it is ${now.seed}`);
  if (began.agent.target !== now.agent.target && options.agent === 'must be the same') {
    found.push(
      `the agent: it began with ${began.agent.target}, and now it is ${now.agent.target} (--force, if it is the same agent called in another way)`,
    );
  }
  return [...found, ...suitesThatDiffer(began.suites, now.suites)];
}

function suitesThatDiffer(began: readonly ExperimentSuite[], now: readonly ExperimentSuite[]): readonly string[] {
  const shown = ({ name, version }: ExperimentSuite) => `${name} ${version}`;
  const keyOf = (suite: ExperimentSuite) => JSON.stringify([suite.name, suite.version, suite.fingerprint]);
  const before = new Set(began.map(keyOf));
  const after = new Set(now.map(keyOf));
  const changed = now.filter((suite) => began.some(({ name }) => name === suite.name) && !before.has(keyOf(suite)));
  const added = now.filter((suite) => !began.some(({ name }) => name === suite.name));
  const gone = began.filter((suite) => !after.has(keyOf(suite)) && !now.some(({ name }) => name === suite.name));
  return [
    ...changed.map((suite) => `the suite ${shown(suite)}: it has been changed since`),
    ...added.map((suite) => `the suite ${shown(suite)}: it was not there at the beginning`),
    ...gone.map((suite) => `the suite ${shown(suite)}: it was there at the beginning`),
  ];
}
