import { expect, test } from 'vitest';
import type { TraceId } from '../../../src/model/ids.ts';
import { ArrivalUnderstanding } from '../../../src/serve/cluster/arrival-understanding.ts';
import type { Arrival } from '../../../src/engine/arrival.ts';
import { LaneFiler } from '../../../src/serve/cluster/filer.ts';
import { FencedError, type Filing, type OwnedLane } from '../../../src/store/cluster-store.ts';

function laneOf(lane: number): OwnedLane {
  return { group: 'g', lane, epoch: 1, time: 0, positions: {} };
}

const ARRIVAL: Arrival = {
  position: 0,
  rows: 1,
  traceId: 'a'.repeat(32) as TraceId,
  closedAt: 100,
  cause: 'settled',
  spans: 1,
  content: { traces: new Uint8Array(4), logs: undefined },
  openBeside: [],
};

function run(options: { readonly fenced?: readonly number[]; readonly lost?: number }) {
  const filed: Filing[] = [];
  const said: { readonly fenced: readonly number[]; readonly sequence: number }[] = [];
  const problems: unknown[] = [];
  let refusals = 0;
  const filer = new LaneFiler({
    store: {
      wantsKeys: false,
      file: async (filings) => {
        if (filings.some(({ lane }) => options.fenced?.includes(lane.lane))) throw new FencedError('another has it');
        if (refusals++ === 0) throw new Error('the database is away');
        filed.push(...filings);
        return [];
      },
    },
    understanding: new ArrivalUnderstanding([]),
    post: (message) => {
      if (message.type !== 'done') return;
      const { refused, sequence } = message;
      said.push({ fenced: refused.map(({ lane }) => lane), sequence });
    },
    troubles: { said: (_, error) => problems.push(error), over: () => {} },
    pause: async () => {},
  });
  const commands: Parameters<LaneFiler['fileNext']>[0] = [0, 1, 2].flatMap((number) => {
    const lane = laneOf(number);
    const turn = options.lost === number ? { unreadable: 'the file is gone', closed: ARRIVAL } : { arrival: ARRIVAL };
    return [
      { type: 'turn', sequence: number * 2 + 1, lane, positions: {}, turn },
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
  const { filer, commands, filed, said, problems } = run({ lost: 2 });

  await filer.fileNext(commands);

  expect(filed.map(({ lane }) => lane.lane)).toEqual([0, 1]);
  expect(problems).toContain('the file is gone');
  expect(said).toEqual([{ fenced: [2], sequence: 6 }]);
});

test('commands that could not be filed for a mistake of ours still wait', async () => {
  const lane = laneOf(0);
  const filer = new LaneFiler({
    store: { wantsKeys: false, file: async () => [] },
    understanding: {
      understand: () => {
        throw new Error('a mistake');
      },
    },
    post: () => {},
    troubles: { said: () => {}, over: () => {} },
    pause: async () => {},
  });
  const waiting: Parameters<LaneFiler['fileNext']>[0] = [
    { type: 'turn', sequence: 1, lane, positions: {}, turn: { arrival: ARRIVAL } },
  ];

  await expect(filer.fileNext(waiting)).rejects.toThrow('a mistake');

  expect(waiting).toHaveLength(1);
});

test('a lane whose bytes are lost is refused in later batches, too, until it has another epoch', async () => {
  const { filer, commands, filed, said } = run({ lost: 2 });
  await filer.fileNext(commands);
  filed.splice(0);
  said.splice(0);
  const lane = laneOf(2);

  await filer.fileNext([{ type: 'time', sequence: 7, lane, time: 300, positions: {} }]);
  await filer.fileNext([{ type: 'time', sequence: 8, lane: { ...lane, epoch: 2 }, time: 300, positions: {} }]);

  expect(said).toEqual([
    { fenced: [2], sequence: 7 },
    { fenced: [], sequence: 8 },
  ]);
  expect(filed.map(({ lane: { epoch } }) => epoch)).toEqual([2]);
});
