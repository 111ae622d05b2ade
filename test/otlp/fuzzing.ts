/**
 * Runs random, mutated and truncated requests through both readers and compares the results. Also runs random and
 * mutated OTLP/JSON through the transcoder, which may answer only with a TranscodeError or with a readable request.
 * Each input is derived from the seed and its number, so one input can be run again by itself.
 */
import { isDeepStrictEqual } from 'node:util';
import { TranscodeError, transcodeLogs, transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { toOtlpJson } from './otlp-json.ts';
import { mutate, Random, randomRequest } from './random-requests.ts';
import { type Comparison, compareWithReference, readOurs, type Signal } from './reference-reading.ts';

export interface FuzzTotals {
  inputs: number;
  accepted: number;
  refused: number;
  disagreements: number;
  crashes: number;
}

export interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  /** Real requests, to be corrupted. */
  readonly corpus: readonly { readonly signal: Signal; readonly bytes: Uint8Array }[];
  readonly onFinding: (finding: { readonly input: number; readonly what: string; readonly bytes: Uint8Array }) => void;
  readonly onProgress?: (totals: FuzzTotals) => void;
}

const PROGRESS_EVERY = 50_000;

export function fuzz(options: FuzzOptions): FuzzTotals {
  const totals: FuzzTotals = { inputs: 0, accepted: 0, refused: 0, disagreements: 0, crashes: 0 };
  for (let input = 0; input < options.inputs; input++) {
    const random = new Random(Math.imul(options.seed, 0x9e3779b1) + input);
    const { comparison, bytes } = tryInput(input, random, options);
    totals.inputs += 1;
    if (comparison.result === 'accepted') totals.accepted += 1;
    else if (comparison.result === 'refused' || comparison.result === 'refused-by-choice') totals.refused += 1;
    else {
      if (comparison.result === 'crash') totals.crashes += 1;
      else totals.disagreements += 1;
      options.onFinding({ input, what: comparison.what, bytes });
    }
    if (totals.inputs % PROGRESS_EVERY === 0) options.onProgress?.(totals);
  }
  return totals;
}

function tryInput(
  input: number,
  random: Random,
  options: FuzzOptions,
): { readonly comparison: Comparison; readonly bytes: Uint8Array } {
  const signal: Signal = input % 3 === 0 ? 'logs' : 'traces';
  const kind = random.below(100);
  const real = kind < 6 ? options.corpus[random.below(options.corpus.length)] : undefined;
  if (real !== undefined) {
    const bytes = mutate(real.bytes, random);
    return { comparison: compareWithReference(real.signal, bytes), bytes };
  }
  const request = randomRequest(signal, random);
  if (kind < 35) return { comparison: compareWithReference(signal, request), bytes: request };
  if (kind < 75) {
    const bytes = mutate(request, random);
    return { comparison: compareWithReference(signal, bytes), bytes };
  }
  return tryJson(signal, request, random, { mutated: kind >= 85 });
}

function tryJson(
  signal: Signal,
  request: Uint8Array,
  random: Random,
  options: { readonly mutated: boolean },
): { readonly comparison: Comparison; readonly bytes: Uint8Array } {
  const meant = compareWithReference(signal, request);
  // Only a readable request has a JSON form; the others have been compared already.
  if (meant.result !== 'accepted') return { comparison: meant, bytes: request };
  const json = Buffer.from(toOtlpJson(signal, request, random));
  const bytes = options.mutated ? mutate(json, random) : json;
  try {
    const got = readOurs(signal, transcode(signal, bytes));
    if (options.mutated) return { comparison: checkIsJson(bytes, got.rows.length), bytes };
    if (isDeepStrictEqual(got, readOurs(signal, request))) {
      return { comparison: { result: 'accepted', rows: got.rows.length }, bytes };
    }
    return { comparison: { result: 'disagreement', what: 'JSON and protobuf say different things' }, bytes };
  } catch (error) {
    if (!(error instanceof TranscodeError)) {
      return {
        comparison: { result: 'crash', what: error instanceof Error ? `${error.stack}` : String(error) },
        bytes,
      };
    }
    if (options.mutated) return { comparison: { result: 'refused' }, bytes };
    return { comparison: { result: 'disagreement', what: `valid OTLP/JSON was refused: ${error.message}` }, bytes };
  }
}

function transcode(signal: Signal, bytes: Uint8Array): Uint8Array {
  return signal === 'traces' ? transcodeTraces(bytes) : transcodeLogs(bytes);
}

function checkIsJson(bytes: Buffer, rows: number): Comparison {
  try {
    JSON.parse(bytes.toString());
    return { result: 'accepted', rows };
  } catch (error) {
    return { result: 'disagreement', what: `text that is no JSON was accepted: ${error}` };
  }
}
