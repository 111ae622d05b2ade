/** There is nothing to compare yet: how to make the first experiment, and the second. */
import { h, type JSX } from 'preact';
import type { ExperimentItem } from '../../api/experiments.ts';
import { Copy } from '../text/copy.ts';
import { counted } from '../text/format.ts';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.ts';

export function NoExperiments({ hasFolder }: { readonly hasFolder: boolean }): JSX.Element {
  return h(
    'section',
    { class: 'start' },
    h('h2', null, 'There is no experiment yet'),
    h(
      'p',
      null,
      'An experiment runs the agent over the cases of a dataset and scores what it did, so that two versions can be ',
      'compared case by case before one is released.',
    ),
    h('p', null, 'Take cases from conversations that went wrong:'),
    h(Command, { text: 'npx assay dataset from-store --failed --since 7d --out failed.jsonl' }),
    h('p', null, 'Run the agent over them, change it, and run it again:'),
    h(Command, {
      text: 'npx assay run failed.jsonl --agent agent.ts --name before\nnpx assay run failed.jsonl --agent agent.ts --name after',
    }),
    h(
      'p',
      { class: 'aside' },
      hasFolder
        ? 'This page shows the experiments of the folder that this service has, which is data/experiments unless the setting experiments names another.'
        : 'This instance has no folder of experiments. It looks in the one that its setting experiments names: mount it there, or use assay compare where the experiments are.',
    ),
  );
}

export function OneExperiment({ experiment }: { readonly experiment: ExperimentItem }): JSX.Element {
  const { name, dataset, runs } = experiment;
  return h(
    'section',
    { class: 'start' },
    h('h2', null, 'There is one experiment so far'),
    h(
      'p',
      null,
      h('b', null, h(SpanText, { text: name })),
      ` has ${counted(runs, 'run')} of ${counted(dataset.cases, 'case')} of the dataset `,
      h(SpanText, { text: dataset.name }),
      '. Run the next version of the agent over the same cases, and both are compared here:',
    ),
    h(Command, { text: 'npx assay run <the same cases> --agent agent.ts --name after' }),
    h('p', null, 'Until then, this shows what failed:'),
    h(Command, { text: `npx assay show ${quotedForShell(experiment.id)}` }),
  );
}

export function Command({ text }: { readonly text: string }): JSX.Element {
  return h('div', { class: 'command' }, h('pre', { tabIndex: 0 }, text), h(Copy, { text, label: 'Copy' }));
}
