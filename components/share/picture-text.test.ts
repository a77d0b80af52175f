import { describe, expect, it } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { emptyLayer } from '#lib/picture/draw-picture.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { COVERAGE_NOTICE } from '../ui/coverage-notice.tsx';
import { type PictureFacts, pictureFileName, pictureText } from './take-picture.ts';

const shownAt = upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42));
const calm: DisplaySummary = {
  ...new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0).summary(),
  connection: { kind: 'connected' },
  shownAt,
  now: shownAt,
};
const received = (simulated: number, real: number): Partial<DisplaySummary> => ({
  filtered: {
    ...calm.filtered,
    shown: simulated + real,
    shownOf: { rid: emptyLayer(), adsb: { ...emptyLayer(), current: { simulated, real, test: 0 } } },
  },
});
const facts = (summary: Partial<DisplaySummary>, more: Partial<PictureFacts> = {}) =>
  pictureText({
    summary: { ...calm, ...summary },
    visible: { west: 179, south: -1.5, east: -179, north: 1 },
    zone: 'utc',
    units: 'metric',
    colouring: 'altitude',
    attribution: 'Natural Earth, GeoNames',
    ...more,
  });

describe('pictureText', () => {
  it('has time with zone, area across 180°, states, notice and attribution', () => {
    const { plates, lines } = facts({});
    expect(plates).toEqual([]);
    expect(lines).toEqual([
      'Lookout · live 2026-11-21 10:37:42Z · 1.5000 S 179.0000 E to 1.0000 N 179.0000 W',
      expect.stringContaining('Aircraft: waiting for the first answer'),
      'Coloured by aircraft altitude 0 to 12000 m and drone height above ground 0 to 150 m; grey: not reported',
      COVERAGE_NOTICE,
      'Map: Natural Earth, GeoNames',
    ]);
  });

  it('keeps UTC in addition to local time', () => {
    expect(facts({}, { zone: 'local' }).lines[0]).toMatch(/10:37:42Z \(2026-11-2\d \d\d:\d\d:42 [+-]\d\d:\d\d\)/);
  });

  it('has a plate for a replay, and one as long as any mark is simulated', () => {
    expect(facts({ isPast: true }).plates).toEqual([{ kind: 'replay', text: 'REPLAY 2026-11-21 10:37:42Z' }]);
    expect(facts(received(1, 1)).plates).toEqual([{ kind: 'simulated', text: 'SIM · 1 of 2 simulated' }]);
    expect(facts(received(1, 0)).plates[0]?.text).toBe('SIM · all traffic shown is simulated');
    expect(facts(received(0, 1)).plates).toEqual([]);
  });

  it('says what is filtered, with what happens to unknown values, and what is not covered', () => {
    const filter = { ...NO_FILTER, altitudeM: { from: 0, to: 1000 } };
    const filtered = { ...calm.filtered, filter, shown: 3, received: 9, hiddenEmergencies: 1 };
    const { lines } = facts({
      filtered: { ...filtered, unknown: { ...filtered.unknown, altitudeM: 2 } },
      capped: true,
    });
    expect(lines[2]).toBe(
      'Filtered: 3 of 9 received · Altitude 0–1000 m · 2 with unknown altitude are shown · 1 emergency hidden by the filter',
    );
    expect(lines[4]).toContain('only the framed area is live');
  });

  it('does not claim a time that is not known', () => {
    expect(facts({ shownAt: undefined }).lines[0]).toContain('at an unknown time');
  });
});

describe('pictureFileName', () => {
  it('has the time in UTC, and says replay', () => {
    expect(pictureFileName({ shownAt, isPast: false })).toBe('lookout-20261121T103742Z.png');
    expect(pictureFileName({ shownAt, isPast: true })).toBe('lookout-replay-20261121T103742Z.png');
    expect(pictureFileName({ shownAt: undefined, isPast: false })).toBe('lookout-no-time.png');
  });
});
