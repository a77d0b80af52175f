import fc from 'fast-check';
import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Observation, REPORTED_NUMBERS, type ReportedNumber } from '../sources/observation.ts';

export function trackKey(number: number): string {
  return number.toString(16).padStart(32, '0');
}

const lon = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 0, -0),
  fc.integer({ min: -20, max: 20 }),
);
const lat = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, 90, 0, -0),
  fc.integer({ min: -20, max: 20 }),
);
const measure = (min: number, max: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.double({ min, max, noNaN: true }) }, fc.constantFrom(null, 0, -0));
const anyMeasures = Object.fromEntries(REPORTED_NUMBERS.map((name) => [name, measure(-1000, 40_000)])) as Readonly<
  Record<ReportedNumber, fc.Arbitrary<number | null>>
>;
const label = (...known: string[]) => fc.constantFrom(null, '', ...known, 'é \u{1f6e9}');

const anyOrigin = fc.constantFrom<Pick<Observation, 'relayedBy' | 'isElsewhereToo'>>(
  {},
  { relayedBy: '' },
  { isElsewhereToo: true },
);

export function arbitraryObservations(from: UpstreamInstant, spanMs: number): fc.Arbitrary<Observation[]> {
  const received: fc.Arbitrary<Observation> = fc.record({
    sourceId: fc.nat(8).map((number) => trackKey(number * 0x1234567)),
    layer: fc.constantFrom(...LAYERS),
    observedAt: fc.oneof(fc.nat(spanMs - 1), fc.nat(Math.min(20, spanMs - 1))).map((offsetMs) => addMs(from, offsetMs)),
    lon,
    lat,
    ...anyMeasures,
    headingDeg: measure(0, 360),
    confidence: label('single', 'multi_station'),
    confidenceScore: measure(0, 1),
    receiverCount: fc.oneof(fc.nat(50), fc.constant(null)),
    emergencyState: label('none', 'general'),
    simulated: fc.boolean(),
    testBroadcast: fc.boolean(),
  });
  const observation = fc.tuple(received, anyOrigin).map(([each, origin]) => ({ ...each, ...origin }));
  return fc.array(observation, { maxLength: 60 });
}
