import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { PRINTED_ROWS_MAX, printedRows } from './printing.tsx';

const shownMs = epochMs(addMs(plainPosition.observedAt, 12_000));
const track = (ref: string, change: Partial<typeof plainPosition> = {}, ttlMs = 60_000) => ({
  position: { ...plainPosition, ref, ...change },
  expiresAtMs: epochMs(addMs(plainPosition.observedAt, ttlMs)),
});

test('the selected track comes first, then emergencies, then drones, and otherwise the order of the table is kept', () => {
  const tracks = [
    track('C'),
    track('B', { emergencyState: 'nordo' }),
    track('A'),
    track('E', { kind: 'drone' }),
    track('D'),
  ];
  expect(printedRows(tracks, ['D'], shownMs, 'metric').map(({ ref }) => ref)).toEqual(['D', 'B', 'E', 'C', 'A']);
});

test('states are words, and what was not reported is never 0', () => {
  const change = { simulated: true, testBroadcast: true, emergencyState: 'nordo', altitudeM: 0 };
  const [row] = printedRows([track('A', change, 5000)], ['A'], shownMs, 'aviation');
  expect(row).toEqual({
    number: '1',
    ref: 'A',
    what: 'aircraft · selected · NO COMMUNICATIONS · SIM · TEST · expired',
    altitude: '0 ft',
    height: 'not reported',
    speed: 'not reported',
    heading: 'not reported',
    age: '12 s',
  });
});

test('a sheet has room for some rows only', () => {
  const tracks = Array.from({ length: 50 }, (_, index) => track(`T${index}`));
  expect(printedRows(tracks, [], shownMs, 'metric')).toHaveLength(PRINTED_ROWS_MAX);
});
