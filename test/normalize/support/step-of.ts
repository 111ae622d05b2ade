/** Normalizes one span as some emitter writes it. */
import type { Step } from '../../../src/model/step.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { type SpanSpec, traceOf } from './otlp.ts';

export function stepOf(attributes: Readonly<Record<string, unknown>>, spec: Partial<SpanSpec> = {}): Step {
  const [step] = normalize(traceOf({ id: 'a1', attributes, ...spec }));
  if (step === undefined) throw new Error('the span gave no step');
  return step;
}
