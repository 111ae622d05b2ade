import { expect, test } from 'vitest';
import type { ClosedTurn } from '../../../src/assemble/open-turns.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { Filer } from '../../../src/pipeline/cluster/filer.ts';
import { packTurn } from '../../../src/pipeline/messages.ts';
import { FencedError, type Filing, type OwnedLane } from '../../../src/store/cluster-store.ts';

function laneOf(lane: number): OwnedLane {
  return { group: 'g', lane, epoch: 1, time: 0, positions: {} };
}

function turnAt(position: number): ClosedTurn {
  const group = {
    entryPosition: position,
    signal: 'traces' as const,
    resourcePosition: position,
    resourceLength: 0,
    scopePosition: position,
    scopeLength: 0,
  };
  return {
    traceId: 'a'.repeat(32) as TraceId,
    cause: 'settled',
    closedAt: 100,
    position: 0,
    rows: [{ position, length: 4, group }],
    spansAreDistinct: true,
  };
}

function run(options: { readonly fenced?: readonly number[]; readonly lostFrom?: number }) {
  const filed: Filing[] = [];
  const said: { readonly fenced: readonly number[]; readonly sequence: number }[] = [];
  const problems: unknown[] = [];
  let refusals = 0;
  const filer = new Filer({
    store: {
      wantsKeys: true,
      file: async (filings) => {
        if (filings.some(({ lane }) => options.fenced?.includes(lane.lane))) throw new FencedError('another has it');
        if (refusals++ === 0) throw new Error('the database is away');
        filed.push(...filings);
      },
    },
    read: (position, length) => {
      if (position >= (options.lostFrom ?? Number.POSITIVE_INFINITY)) throw new Error('the file is gone');
      return new Uint8Array(length);
    },
    idKeys: [],
    onFiled: ({ fenced, sequence }) => said.push({ fenced: fenced.map(({ lane }) => lane), sequence }),
    onProblem: (error) => problems.push(error),
    pause: async () => {},
  });
  const commands: Parameters<Filer['fileNext']>[0] = [0, 1, 2].flatMap((number) => {
    const lane = laneOf(number);
    return [
      {
        type: 'file',
        sequence: number * 2 + 1,
        lane,
        turn: packTurn(turnAt(number * 100)),
        positions: {},
        spoolEnd: 0,
      },
      { type: 'time', sequence: number * 2 + 2, lane, time: 200, positions: {} },
    ];
  });
  return { filer, commands, filed, said, problems };
}

test('a store that is away is tried again; lanes that others have are told, the rest is filed', async () => {
  const { filer, commands, filed, said, problems } = run({ fenced: [1] });

  await filer.fileNext(commands);

  expect(filed.map(({ lane, time, arrivals }) => [lane.lane, time, arrivals.length])).toEqual([
    [0, 200, 1],
    [2, 200, 1],
  ]);
  expect(said).toEqual([{ fenced: [1], sequence: 6 }]);
  expect(problems).toHaveLength(1);
});

test('a turn whose bytes are lost keeps its lane from moving on, and no other', async () => {
  const { filer, commands, filed, said } = run({ lostFrom: 200 });

  await filer.fileNext(commands);

  expect(filed.map(({ lane }) => lane.lane)).toEqual([0, 1]);
  expect(said).toEqual([{ fenced: [2], sequence: 6 }]);
});
