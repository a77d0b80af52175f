import { describe, expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import type { PicturedTracks } from './pictured-tracks.ts';
import { possiblySame } from './possibly-same.ts';
import { makeTrackColumns } from './track-columns.ts';

const drone: Position = { ...plainPosition, ref: 'RX-D-0000000000000001', kind: 'drone' };

function tracksOf(firsts: readonly Position[], knowsBeginning = true): PicturedTracks {
  const columns = makeTrackColumns(firsts.length);
  columns.end = firsts.length;
  columns.used.fill(1);
  const first = (slot: number) => firsts[slot] as Position;
  return {
    columns,
    beginnings: {
      atMs: (slot) => (knowsBeginning ? epochMs(first(slot).observedAt) : Number.NaN),
      lon: (slot) => first(slot).lon,
      lat: (slot) => first(slot).lat,
    },
    slotOf: () => undefined,
    refAt: (slot) => first(slot).ref,
    labelAt: () => undefined,
    positionAt: first,
    momentAt: () => {
      throw new Error('not used');
    },
  };
}

function began(ref: string, after: Position, afterMs: number, awayM: number, change: Partial<Position> = {}): Position {
  const { lon, lat } = destination(after, 0, awayM);
  return { ...after, ref, lon, lat, observedAt: addMs(after.observedAt, afterMs), ...change };
}

describe('possiblySame', () => {
  test('is the track that began nearest to where another ended, with the distance between them', () => {
    const tracks = tracksOf([
      began('RX-D-00000000000FAR12', drone, 2000, 60),
      began('RX-D-00000000000EB8F7', drone, 2000, 4),
      { ...drone, ref: 'RX-D-0000000000000001' },
    ]);
    const guess = possiblySame(drone, tracks);
    expect(guess?.ref).toBe('RX-D-00000000000EB8F7');
    expect(guess?.distanceM).toBeCloseTo(4, 1);
    expect(guess?.gapMs).toBe(2000);
  });

  test('expects a moving track further on along its heading', () => {
    const flying: Position = { ...drone, kind: 'aircraft', speedMps: 200, headingDeg: 0 };
    expect(possiblySame(flying, tracksOf([began('next', flying, 5000, 1000)]))?.ref).toBe('next');
    expect(possiblySame(flying, tracksOf([began('other', flying, 5000, -1000)]))).toBeUndefined();
  });

  test.each([
    ['began before the other ended', began('x', drone, -2000, 4)],
    ['began more than a minute later', began('x', drone, 61_000, 4)],
    ['began far away', began('x', drone, 2000, 500)],
    ['is of another kind', began('x', drone, 2000, 4, { kind: 'aircraft' })],
    ['is simulated, and the other is not', began('x', drone, 2000, 4, { simulated: true })],
  ])('is none that %s', (_, other) => {
    expect(possiblySame(drone, tracksOf([other]))).toBeUndefined();
  });

  test('is none whose beginning is not known', () => {
    expect(possiblySame(drone, tracksOf([began('x', drone, 2000, 4)], false))).toBeUndefined();
  });
});
