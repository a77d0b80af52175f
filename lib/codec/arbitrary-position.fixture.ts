import fc from 'fast-check';
import type { Position } from '#lib/model/position.ts';
import { byName, FLAG_NAMES, LABEL_NAMES, MEASURE_NAMES } from '#lib/model/record-fields.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';

const POSITIONS_AT_MS = Date.UTC(2026, 10, 21, 12);

const anyInstantMs = fc.integer({ min: Date.UTC(0, 0) - 1900 * 366 * DAY_MS, max: Date.UTC(9999, 11, 31) });
const instant = fc
  .oneof(
    { weight: 5, arbitrary: fc.integer({ min: -90_000, max: 90_000 }).map((offset) => POSITIONS_AT_MS + offset) },
    // Around an overflow of the time's low 32 bits.
    { weight: 1, arbitrary: fc.integer({ min: -500, max: 500 }).map((offset) => 418 * 2 ** 32 + offset) },
    { weight: 1, arbitrary: anyInstantMs },
  )
  .map(upstreamInstant);

const digits = fc.oneof(
  fc.integer({ min: 0, max: 15 }).map((number) => number.toString(16).toUpperCase().padStart(16, '0')),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((number) => number.toString(16).toUpperCase().padStart(16, '0')),
  fc.constantFrom('00000000FFFFFFFF', '0000000100000000', 'FFFFFFFFFFFFFFFF', '8000000000000000'),
);
const text = fc.string({ unit: 'binary', maxLength: 6 });
const prefix = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('RX', 'RX', 'r.2', 'RX-A') },
  { weight: 1, arbitrary: text },
);
const otherForm = fc.oneof(
  fc.constantFrom(
    '',
    'RX-A-',
    'RX-A-000000000000000a',
    'RX-B-0000000000000001',
    '-D-00000000000000001',
    'A-0000000000000001',
  ),
  fc.string({ unit: 'binary' }),
);
const ref = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(prefix, fc.constantFrom('A', 'D'), digits)
      .map(([start, letter, end]) => `${start}-${letter}-${end}`),
  },
  { weight: 1, arbitrary: otherForm },
);

const odd = fc.constantFrom(
  0,
  -0,
  1e300,
  -1e300,
  5e-324,
  0.1 + 0.2,
  0.12345,
  1 / 3,
  2.5,
  21_474_836.47,
  -21_474_836.48,
  2 ** 31,
);
const quantity = (arbitrary: fc.Arbitrary<number>) =>
  fc.oneof(
    { weight: 6, arbitrary },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { weight: 2, arbitrary: fc.constant(undefined) },
  );
const degrees = (limit: number) =>
  fc.oneof(fc.double({ min: -limit, max: limit, noNaN: true }), fc.constantFrom(0, -0, limit, -limit));
const label = fc.oneof(fc.constantFrom(undefined, 'single', 'unknown', 'general', ''), text);

const measures = byName(MEASURE_NAMES, () => quantity(fc.double({ min: -100, max: 100, noNaN: true })));

export const anyPosition: fc.Arbitrary<Position> = fc.record({
  ...measures,
  ...byName(LABEL_NAMES, () => label),
  ...byName(FLAG_NAMES, () => fc.boolean()),
  ref,
  kind: fc.constantFrom('drone', 'aircraft'),
  observedAt: instant,
  staleAfter: fc.option(instant, { nil: undefined }),
  lon: degrees(180),
  lat: degrees(90),
  altitudeM: quantity(fc.integer({ min: -50, max: 2000 }).map((steps) => steps * 7.62)),
  heightAglM: quantity(fc.double({ min: -500, max: 12_000, noNaN: true })),
  speedMps: quantity(fc.double({ min: 0, max: 340, noNaN: true })),
  headingDeg: quantity(fc.integer({ min: 0, max: 3599 }).map((tenths) => tenths / 10)),
  confidenceScore: quantity(fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100)),
  receiverCount: quantity(fc.integer({ min: 0, max: 12 })),
});

export const anyPositions = fc.array(anyPosition, { maxLength: 30 });

export const anyTwoSnapshots = fc
  .array(
    fc.tuple(
      anyPosition,
      anyPosition,
      fc.constantFrom('gone', 'same', 'same', 'changed', 'moved', 'new', 'new'),
      fc.nat(),
    ),
    {
      maxLength: 30,
    },
  )
  .map((rows) => {
    const before: Position[] = [];
    const after: Position[] = [];
    for (const [position, other, fate, choice] of rows) {
      if (fate !== 'new') before.push(position);
      if (fate === 'same' || fate === 'new') after.push(position);
      if (fate === 'changed') after.push(withFieldOf(position, other, choice));
      if (fate === 'moved') after.push({ ...other, ref: position.ref });
    }
    return { before, after };
  });

function withFieldOf(position: Position, other: Position, choice: number): Position {
  const names = Object.keys(position).filter((name) => name !== 'ref') as (keyof Position)[];
  const name = names[choice % names.length] as keyof Position;
  return { ...position, [name]: other[name] };
}
