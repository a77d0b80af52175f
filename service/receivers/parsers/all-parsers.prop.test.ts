import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type Fix, type KeyOf, type Parsed, POSITION_ORIGINS, REFUSAL_CAUSES, type TrackKey } from '../fix.ts';
import { PARSER_SAMPLES } from './parser-samples.fixture.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';

const RECEIVED_AT = upstreamInstant(EPOCH_S * 1000);

/** Numbered in letters, without any digit of a name. */
function countedKeys() {
  const keys = new Map<string, TrackKey>();
  const keyOf: KeyOf = (layer, name) => {
    const id = `${layer}\n${name}`;
    const letters = [...keys.size.toString(16)].map((digit) => String.fromCharCode(103 + Number.parseInt(digit, 16)));
    const key = keys.get(id) ?? (letters.join('').padStart(32, 'z') as TrackKey);
    keys.set(id, key);
    return key;
  };
  return { keyOf, isKey: (key: TrackKey) => [...keys.values()].includes(key) };
}

const FIELDS: ReadonlySet<keyof Fix> = new Set([
  'accuracyM',
  'altitudeM',
  'emergencyState',
  'feedTimeMs',
  'headingDeg',
  'heightAglM',
  'lat',
  'layer',
  'lon',
  'onGround',
  'origin',
  'speedMps',
  'testBroadcast',
  'trackKey',
  'trackTimeMs',
]);

const EMERGENCY_STATES = [
  null,
  'unknown',
  'none',
  'general',
  'lifeguard',
  'minfuel',
  'nordo',
  'unlawful',
  'downed',
  'reserved',
  'emergency',
];

function expectSound({ fixes, refused, feedClockMs }: Parsed, isKey: (key: TrackKey) => boolean): void {
  for (const cause of refused) expect(REFUSAL_CAUSES).toContain(cause);
  if (feedClockMs !== undefined) expect(Number.isSafeInteger(feedClockMs)).toBe(true);
  for (const fix of fixes) {
    const { queuedSinceMs, ...always } = fix;
    expect(new Set(Object.keys(always))).toEqual(FIELDS);
    expect(['rid', 'adsb']).toContain(fix.layer);
    expect(isKey(fix.trackKey)).toBe(true);
    expect(Math.abs(fix.lat)).toBeLessThanOrEqual(90);
    expect(Math.abs(fix.lon)).toBeLessThanOrEqual(180);
    expect(fix.lat === 0 && fix.lon === 0).toBe(false);
    expect(POSITION_ORIGINS).toContain(fix.origin);
    expect(EMERGENCY_STATES).toContain(fix.emergencyState);
    for (const timeMs of [fix.feedTimeMs, fix.trackTimeMs, queuedSinceMs]) {
      if (timeMs !== undefined) expect(Number.isSafeInteger(timeMs)).toBe(true);
    }
    expectWithin(fix.altitudeM, -1000, 50_000);
    expectWithin(fix.heightAglM, -1000, 50_000);
    expectWithin(fix.speedMps, 0, 2200);
    expectWithin(fix.headingDeg, 0, 359.999_999);
    expectWithin(fix.accuracyM, 0.001, 1_000_000);
  }
}

function expectWithin(value: number | null, min: number, max: number): void {
  if (value === null) return;
  expect(value).toBeGreaterThanOrEqual(min);
  expect(value).toBeLessThanOrEqual(max);
}

function valuesIn(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

function isIn(values: readonly (string | number)[], secret: string | number): boolean {
  return values.some((value) =>
    typeof secret === 'number' ? value === secret : String(value).toLowerCase().includes(secret.toLowerCase()),
  );
}

function damaged(message: string | Uint8Array): fc.Arbitrary<string | Uint8Array> {
  const bytes = Buffer.from(message);
  const place = fc.nat({ max: bytes.length });
  return fc
    .record({
      at: place,
      end: place,
      by: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.constant(bytes)),
      asText: fc.boolean(),
    })
    .map(({ at, end, by, asText }) => {
      const made = Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(end)]);
      return asText ? made.toString('latin1') : Uint8Array.from(made);
    });
}

const HOSTILE_VALUES = fc.constantFrom<unknown>(
  null,
  '',
  'ground',
  -1,
  0,
  1e308,
  -1e308,
  360,
  361,
  91,
  181,
  65_535,
  '12.5 m/s',
  [],
  {},
  true,
  { lat: 1, lon: 2 },
  '\u0000',
  '9'.repeat(400),
);

function spoilt(message: string | Uint8Array): fc.Arbitrary<string | Uint8Array> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(message).toString());
  } catch {
    return fc.constant(message);
  }
  const size = valuesIn(parsed).length;
  return fc.array(fc.tuple(fc.nat({ max: size }), HOSTILE_VALUES), { minLength: 1, maxLength: 6 }).map((changes) => {
    const changeAt = new Map(changes);
    let place = 0;
    const change = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(change);
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each)]));
      }
      place += 1;
      return changeAt.has(place) ? changeAt.get(place) : value;
    };
    return JSON.stringify(change(parsed));
  });
}

const NOISE = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 2000 }),
  fc.json(),
  fc.constantFrom(
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '"a"',
    '[[[[',
    '{"a":',
    '\uFEFF{}',
    'MSG,3',
    ',,,,',
    '['.repeat(100_000),
  ),
);

describe.each(PARSER_SAMPLES)('$name', ({ make, received }) => {
  test('emits nothing that identifies a track, owner, pilot or station', () => {
    fc.assert(
      fc.property(received, ({ messages, secrets }) => {
        const { keyOf, isKey } = countedKeys();
        const parser = make({ feed: 'roof', keyOf });
        const all = messages.map((message) => parser.parse(message, RECEIVED_AT));
        expect(all.flatMap(({ fixes }) => fixes).length).toBeGreaterThan(0);
        for (const parsed of all) expectSound(parsed, isKey);
        const values = valuesIn(all);
        for (const secret of secrets) expect(isIn(values, secret), `${secret} is in the output`).toBe(false);
      }),
    );
  });

  test('never throws or emits an impossible value for damaged messages', () => {
    const hostile = received.chain(({ messages }) =>
      fc.array(
        fc.oneof(NOISE, ...messages.flatMap((message) => [fc.constant(message), damaged(message), spoilt(message)])),
        { maxLength: 12 },
      ),
    );
    fc.assert(
      fc.property(
        hostile,
        fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 12 }),
        (messages, steps) => {
          const { keyOf, isKey } = countedKeys();
          const parser = make({ feed: 'roof', keyOf });
          let at = RECEIVED_AT;
          for (const [index, message] of messages.entries()) {
            at = addMs(at, steps[index] ?? 1000);
            expectSound(parser.parse(message, at), isKey);
          }
        },
      ),
    );
  });
});

test('lists every parser', async () => {
  const folder = new URL('.', import.meta.url);
  const files = (await readdir(folder)).filter((file) => /^[a-z0-9-]+\.ts$/.test(file));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const makers = sources.flatMap((source) =>
    [...source.matchAll(/export function (\w+)\([^)]*\): Parser\b/g)].map(([, name]) => name),
  );
  expect(new Set(PARSER_SAMPLES.map(({ make }) => make.name))).toEqual(new Set(makers));
});
