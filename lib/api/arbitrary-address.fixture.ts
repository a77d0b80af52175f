import fc from 'fast-check';
import { arbitraryFilter } from '#lib/filter/arbitrary-filter.fixture.ts';
import { wrapEastEdge } from '#lib/geo/longitude.ts';
import { COLOURINGS } from '#lib/model/mark-colour.ts';
import { LAYERS } from '#lib/model/position.ts';
import { SELECTED_MAX } from '#lib/model/selection.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type AddressState, SPEEDS } from './address-state.ts';
import { REPLAY_MAX_WINDOW_MS } from './replay-window.ts';

const hundredThousandths = (limit: number) =>
  fc.integer({ min: -limit * 1e5, max: limit * 1e5 }).map((units) => units / 1e5);
const view = fc.record({
  lat: hundredThousandths(90),
  lon: hundredThousandths(180),
  zoom: fc.integer({ min: 0, max: 1800 }).map((units) => units / 100),
  bearingDeg: fc.integer({ min: -1800, max: 1800 }).map((units) => units / 10),
});
const quarter = (from: number, to: number) => fc.integer({ min: from * 4, max: to * 4 }).map((units) => units / 4);
/** The areas are on a grid; some cross 180°. */
const loadedArea = fc
  .record({ west: quarter(-180, 179), south: quarter(-90, 85), width: quarter(1, 5), height: quarter(1, 5) })
  .map(({ west, south, width, height }) => {
    const east = west + width;
    return { west, south, east: wrapEastEdge(east), north: south + height };
  });
const replay = fc
  .record({
    start: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }).map(upstreamInstant),
    lengthMs: fc.integer({ min: 1, max: REPLAY_MAX_WINDOW_MS }),
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
export const arbitraryAddress: fc.Arbitrary<AddressState> = fc.record({
  view: maybe(view),
  layers: maybe(fc.subarray([...LAYERS]).map((layers) => new Set(layers))),
  selectedRefs: fc.uniqueArray(fc.stringMatching(/^[A-Z]{2,4}-[AD]-[0-9A-F]{16}$/), { maxLength: SELECTED_MAX }),
  filter: arbitraryFilter,
  colouring: fc.constantFrom(...COLOURINGS),
  replay: maybe(replay),
});
