import { describe, expect, test } from 'vitest';
import type { Observation } from '../../sources/observation.ts';
import type { Fix } from '../fix.ts';
import { alongMs, at, feedOf, fixOf, keyOf, parsedOf, START_MS, WORLD } from './fusion.fixture.ts';
import { makeFusion } from './fusion.ts';
import { withoutDoubles } from './without-doubles.ts';

const ROOF = feedOf('roof');
const CLUB = feedOf('club');
const [OWN, OTHER] = [keyOf(1), keyOf(2)];
const RELAYED = { confidence: 'multi_station', confidenceScore: 0.9, receiverCount: 7, simulated: false };

function start() {
  const fusion = withoutDoubles(makeFusion());
  const past: Observation[] = [];
  const receive = (s: number, feed: typeof ROOF, change: Partial<Fix>) => {
    const feedTimeMs = START_MS + s * 1000;
    fusion.add(feed, parsedOf([fixOf({ feedTimeMs, ...alongMs(s * 1000), ...change })]), at(s * 1000));
  };
  return {
    past,
    /** A second of the roof every second, and of the club every five. */
    fly(from: number, to: number, { roof = true, club = true, change = {} as Partial<Fix> } = {}) {
      for (let s = from; s < to; s += 1) {
        if (roof) receive(s, ROOF, { trackKey: OWN, ...change });
        if (club && s % 5 === 0) receive(s, CLUB, { trackKey: OTHER, relayed: RELAYED });
        past.push(...fusion.settle(at(s * 1000 + 700)));
      }
    },
    live: (s: number) => fusion.live('adsb', WORLD, at(s * 1000)),
    add: fusion.add,
    alone: (feed: string) => fusion.feedState(feed)?.alone,
  };
}

const ids = (observations: readonly Observation[]) => observations.map(({ sourceId }) => sourceId).sort();

describe('an aircraft that own receivers and another service have', () => {
  test('is one mark once that follows, with the record of the own receivers, which says that another source has it', () => {
    const { fly, live, past } = start();
    fly(0, 12);
    expect(ids(live(12))).toEqual([OWN, OTHER]);
    fly(12, 60);
    const [mark, ...others] = live(60);
    expect(others).toEqual([]);
    expect(mark).toMatchObject({ sourceId: OWN, confidence: 'single', receiverCount: 1, isElsewhereToo: true });
    expect(ids(past.filter(({ observedAt }) => observedAt >= at(40_000)))).toEqual(
      Array.from({ length: 20 }, () => OWN),
    );
  });

  test('does not count as received by the other service alone once it is one mark', () => {
    const { fly, alone } = start();
    fly(0, 60);
    const before = alone('club')!;
    fly(60, 120);
    expect(alone('club')).toBe(before);
    fly(120, 180, { roof: false });
    expect(alone('club')).toBeGreaterThan(before + 5);
    expect(alone('roof')).toBeGreaterThan(100);
  });

  test('keeps what the other service says while it stands alone', () => {
    const { fly, live } = start();
    fly(0, 20, { roof: false });
    expect(live(20)).toEqual([
      expect.objectContaining({
        confidence: 'multi_station',
        confidenceScore: 0.9,
        receiverCount: 7,
        relayedBy: 'club',
      }),
    ]);
    // It does not become stale by our rule: the service says itself what it thinks of its records.
    expect(live(35)[0]?.confidence).toBe('multi_station');
  });

  test('goes on as the record of the other service when the own receivers lose it, and never as two', () => {
    const { fly, live } = start();
    fly(0, 60);
    for (let s = 60; s < 120; s += 5) {
      fly(s, s + 5, { roof: false });
      expect(live(s + 5)).toHaveLength(1);
    }
    expect(live(120)).toEqual([expect.objectContaining({ sourceId: OTHER, relayedBy: 'club' })]);
  });

  test('is the own receivers’ alone again when the other service no longer has it', () => {
    const { fly, live } = start();
    fly(0, 60);
    fly(60, 200, { club: false });
    expect(live(200)).toEqual([expect.not.objectContaining({ isElsewhereToo: true })]);
  });

  test('becomes two marks when they part', () => {
    const { fly, live } = start();
    fly(0, 60);
    fly(60, 120, { change: { lat: 47.41 } });
    expect(ids(live(120))).toEqual([OWN, OTHER]);
  });

  test.each([
    ['a simulated one is not a received one', { relayed: { ...RELAYED, simulated: true } }],
    ['one 400 m above it is another', { altitudeM: 3400 }],
  ])('%s', (_, change) => {
    const { fly, live, add } = start();
    for (let s = 0; s < 90; s += 1) {
      fly(s, s + 1, { club: false });
      const fix = fixOf({
        feedTimeMs: START_MS + s * 1000,
        ...alongMs(s * 1000),
        trackKey: OTHER,
        relayed: RELAYED,
        ...change,
      });
      if (s % 5 === 0) add(CLUB, parsedOf([fix]), at(s * 1000 + 800));
    }
    expect(live(90)).toHaveLength(2);
  });

  test('ends at once when a complete answer of the other service lacks it', () => {
    const { fly, live, add } = start();
    fly(0, 20, { roof: false });
    add(CLUB, { ...parsedOf([]), gone: [{ layer: 'adsb', trackKey: OTHER }] }, at(20_000));
    expect(live(20)).toEqual([]);
  });
});
