/** There is nothing to compare yet: how to make the first experiment, and the second. */
import type { ExperimentItem } from '../../api/experiments.ts';
import { Command } from '../text/command.tsx';
import { counted } from '../text/format.ts';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.tsx';

export function NoExperiments({ hasFolder }: { readonly hasFolder: boolean }) {
  return (
    <section class="start">
      <h2>There is no experiment yet</h2>
      <p>
        {
          'An experiment runs the agent over the cases of a dataset and scores what it did, so that two versions can be '
        }
        compared case by case before one is released.
      </p>
      <p>Take cases from conversations that went wrong:</p>
      <Command text="npx assay dataset from-store --failed --since 7d --out failed.jsonl" />
      <p>Run the agent over them, change it, and run it again:</p>
      <Command
        text={
          'npx assay run failed.jsonl --agent agent.ts --name before\nnpx assay run failed.jsonl --agent agent.ts --name after'
        }
      />
      <p class="aside">
        {hasFolder
          ? 'This page shows the experiments of the folder that this service has, which is data/experiments unless the setting experiments names another.'
          : 'This instance has no folder of experiments. It looks in the one that its setting experiments names: mount it there, or use assay compare where the experiments are.'}
      </p>
    </section>
  );
}

export function OneExperiment({ experiment }: { readonly experiment: ExperimentItem }) {
  const { name, dataset, runs } = experiment;
  return (
    <section class="start">
      <h2>There is one experiment so far</h2>
      <p>
        <SpanText in="b" text={name} />
        {` has ${counted(runs, 'run')} of ${counted(dataset.cases, 'case')} of the dataset `}
        <SpanText text={dataset.name} />. Run the next version of the agent over the same cases, and both are compared
        here:
      </p>
      <Command text={'npx assay run <the same cases> --agent agent.ts --name after'} />
      <p>Until then, this shows what failed:</p>
      <Command text={`npx assay show ${quotedForShell(experiment.id)}`} />
    </section>
  );
}
