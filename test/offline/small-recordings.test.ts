/** A small recording is scored in memory, a large one in files; nobody can tell from what comes of it. */
import { expect, test } from 'vitest';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import type { RecordedBatch } from '../../src/engine/recorded/recorded-batch.ts';
import { recordedRequest } from '../../src/offline/recording.ts';
import { MemorySpool, RecordingLog } from '../../src/engine/recorded/recording-log.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { builtinSuites, defaultSettings } from '../engine/log-driver.ts';

function recorded(conversations: number): readonly RecordedBatch[] {
  return [...traffic({ seed: 8, conversations, withoutId: 0.3 })].flatMap(({ turns, agentVersion }) =>
    turns.flatMap((spans) => recordedRequest(exportRequest(spans, agentVersion), 'test')),
  );
}

/** Nobody knows how much is still to come. */
function* oneByOne(batches: readonly RecordedBatch[]): Generator<RecordedBatch> {
  yield* batches;
}

test('in memory and in files, the same comes of a recording', async () => {
  const options = { suites: await builtinSuites(['default', 'error-recovery']), settings: defaultSettings() };
  const batches = recorded(60);

  const inMemory = await scoreRecorded({ ...options, batches });
  const inFiles = await scoreRecorded({ ...options, batches: oneByOne(batches) });

  expect(inMemory.evaluations.length).toBeGreaterThan(60);
  expect(inMemory).toEqual(inFiles);
});

test('late spans of a small recording with log times make new revisions, as they do in files', async () => {
  const options = { suites: await builtinSuites(['default']), settings: defaultSettings() };
  const spans = recorded(10);
  const batches = [1000, 1_000_000].flatMap((at) =>
    spans.map((batch, index) => ({ ...batch, logTime: at + index })).filter((_, index) => at > 1000 || index % 2 === 0),
  );

  expect(await scoreRecorded({ ...options, batches })).toEqual(
    await scoreRecorded({ ...options, batches: oneByOne(batches) }),
  );
});

test('a spool gives back what was put in, wherever it is, and nothing beyond', () => {
  const file = new RecordingLog();
  const memory = new MemorySpool();
  const batches = [5, 0, 1, 300].map((length, number) => ({
    signal: 'traces' as const,
    bytes: Uint8Array.from({ length }, (_, index) => index + number),
    table: new Uint8Array(0),
    logTime: number,
  }));
  try {
    for (const batch of batches) {
      const entry = memory.append(batch);
      expect(entry).toEqual(file.append(batch));
      const { payloadPosition } = entry;
      const [from, length] = [payloadPosition + (batch.bytes.length >> 1), batch.bytes.length >> 2];
      for (const [at, of] of [
        [payloadPosition, batch.bytes.length],
        [from, length],
      ] as const)
        expect([...memory.read(at, of)]).toEqual([...file.read(at, of)]);
    }
    expect(() => memory.read(306, 2)).toThrow('reach past the end');
  } finally {
    file.close();
  }
});
