/** An experiment as it stands in its file: JSON that is checked when it is read. */
import { z } from 'zod';
import { type Experiment, experimentShape } from '../../model/experiment.ts';

/** Another one where an older Assay could not read it. */
const FORMAT = 1;
const format = z.object({ format: z.literal(FORMAT, `${FORMAT}: it was written by another version of Assay`) });

export function toExperimentJson(experiment: Experiment) {
  return { format: FORMAT, ...z.encode(experimentShape, experiment) };
}

export function experimentText(experiment: Experiment): string {
  return `${JSON.stringify(toExperimentJson(experiment), undefined, 2)}\n`;
}

/** Throws where it is not what `experimentText` gives. */
export function experimentIn(text: string): Experiment {
  const json: unknown = JSON.parse(text);
  format.parse(json);
  return experimentShape.parse(json);
}
