import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryFilter } from '#lib/filter/arbitrary-filter.fixture.ts';
import { COLOURINGS } from '#lib/model/mark-colour.ts';
import { LAYERS } from '#lib/model/position.ts';
import { SELECTED_MAX } from '#lib/model/selection.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type AddressState, formatAddress, parseAddress, SPEEDS } from './address-state.ts';

const hundredThousandths = (limit: number) =>
  fc.integer({ min: -limit * 1e5, max: limit * 1e5 }).map((units) => units / 1e5);
const view = fc.record({
  lat: hundredThousandths(90),
  lon: hundredThousandths(180),
  zoom: fc.integer({ min: 0, max: 1800 }).map((units) => units / 100),
  bearingDeg: fc.integer({ min: -1800, max: 1800 }).map((units) => units / 10),
});
const quarter = (from: number, to: number) => fc.integer({ min: from * 4, max: to * 4 }).map((units) => units / 4);
/** Loaded areas on a grid; some cross 180°. */
const loadedArea = fc
  .record({ west: quarter(-180, 179), south: quarter(-90, 85), width: quarter(1, 5), height: quarter(1, 5) })
  .map(({ west, south, width, height }) => {
    const east = west + width;
    return { west, south, east: east > 180 ? east - 360 : east, north: south + height };
  });
const replay = fc
  .record({
    start: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }).map(upstreamInstant),
    lengthMs: fc.integer({ min: 1, max: 3_600_000 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    speed: fc.constantFrom(...SPEEDS),
    area: fc.option(loadedArea, { nil: undefined }),
  })
  .map(({ start, lengthMs, part, speed, area }) => ({
    window: { start, end: addMs(start, lengthMs) },
    cursor: addMs(start, Math.floor(lengthMs * part)),
    speed,
    area,
  }));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const state: fc.Arbitrary<AddressState> = fc.record({
  view: maybe(view),
  layers: maybe(fc.subarray([...LAYERS]).map((layers) => new Set(layers))),
  selectedRefs: fc.uniqueArray(fc.stringMatching(/^[A-Z]{2,4}-[AD]-[0-9A-F]{16}$/), { maxLength: SELECTED_MAX }),
  filter: arbitraryFilter,
  colouring: fc.constantFrom(...COLOURINGS),
  replay: maybe(replay),
});

describe('the address bar', () => {
  test('a formatted state parses back to the same state, and nothing is ignored', () => {
    fc.assert(
      fc.property(state, (expected) => {
        expect(parseAddress(formatAddress(expected))).toEqual({ state: expected, ignored: [] });
      }),
    );
  });

  test('parsing never fails, and names broken parameters', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('view', 'from', 'to', 'at', 'speed', 'sel', 'colour', 'x'), fc.string()),
        (query) => {
          const parsed = parseAddress(`?${new URLSearchParams(query)}`);
          expect(Object.keys(query)).toEqual(expect.arrayContaining([...parsed.ignored]));
        },
      ),
    );
  });

  test.each([
    ['a window without an end', 'from=2026-11-21T10:00:00Z', ['from']],
    ['a window that is too long', 'from=2026-11-21T10:00:00Z&to=2026-11-21T12:00:00Z', ['from', 'to']],
    ['a window that ends before it starts', 'from=2026-11-21T10:00:00Z&to=2026-11-21T09:00:00Z', ['from', 'to']],
    ['an unknown speed', 'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&speed=7', ['speed']],
    ['a time without a timezone', 'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&at=2026-11-21T10:10:00', ['at']],
    [
      'an unknown speed beside a filter',
      'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&speed=7&speed=5..',
      ['speed'],
    ],
    ['a filter that is no range', 'alt=high&rx=2..', ['alt']],
    ['an unknown colouring', 'colour=fast', ['colour']],
    ['a time without a window', 'at=2026-11-21T10:10:00Z', ['at']],
  ])('%s is reported as ignored', (_, query, ignored) => {
    expect(parseAddress(`?${query}`).ignored).toEqual(ignored);
  });

  test('of the references in a link those that can be are selected, and the rest is said to be ignored', () => {
    const many = Array.from({ length: SELECTED_MAX + 1 }, (_, index) => `RX-A-${index}`);
    expect(parseAddress(`?sel=${many.join()}`)).toMatchObject({
      state: { selectedRefs: many.slice(0, SELECTED_MAX) },
      ignored: ['sel'],
    });
    expect(parseAddress('?sel=RX-A-1,,RX-A-2,RX-A-1')).toMatchObject({
      state: { selectedRefs: ['RX-A-1', 'RX-A-2'] },
      ignored: ['sel'],
    });
    expect(parseAddress('?sel=')).toMatchObject({ state: { selectedRefs: [] }, ignored: ['sel'] });
  });

  test('a time outside the window is clamped to it', () => {
    const { state: parsed } = parseAddress(
      '?from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&at=2026-11-21T11:00:00Z',
    );
    expect(parsed.replay?.cursor).toBe(Date.UTC(2026, 10, 21, 10, 30));
  });
});
