import { describe, expect, test } from 'vitest';
import { liveRecordSchema } from '#lib/api/live-answer.ts';
import { type WirePosition, wirePositionSchema } from '#lib/contract/wire-position.ts';
import type { Position } from '#lib/model/position.ts';
import { byWireName, MEASURE_NAMES, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { apiRecord } from './api-record.ts';
import { toPosition, unreadableValuesIn } from './read-page.ts';

const wire: WirePosition = {
  ...byWireName(MEASURE_NAMES, () => null),
  public_track_id: 'RX-D-0123456789ABCDEF',
  observed_at: '2026-11-21T10:15:00Z',
  longitude: 8.5,
  latitude: 47.4,
  altitude_m: 500,
  height_agl_m: 60,
  speed_mps: 12,
  heading_deg: 90,
  confidence: null,
  track_kind: 'drone',
  simulated: true,
  test_broadcast: true,
  emergency_state: null,
};
const measured = { speed_mps: 255, heading_deg: 361, altitude_m: -1000, height_agl_m: -1000 };

describe('toPosition', () => {
  test('Remote ID’s placeholders for "unknown" become undefined, for drones', () => {
    expect(toPosition({ ...wire, ...measured })).toMatchObject({
      speedMps: undefined,
      headingDeg: undefined,
      altitudeM: undefined,
      heightAglM: undefined,
    });
  });

  test('the same numbers of an aircraft are real values', () => {
    expect(toPosition({ ...wire, ...measured, track_kind: 'adsb_aircraft' })).toMatchObject({
      kind: 'aircraft',
      speedMps: 255,
      altitudeM: -1000,
    });
  });

  test('a drone at 0, 0 has no position yet; an aircraft at 0, 0 has one', () => {
    const nowhere = { ...wire, longitude: 0, latitude: 0 };
    expect(toPosition(nowhere)).toBeUndefined();
    expect(toPosition({ ...nowhere, track_kind: 'adsb_aircraft' })).toMatchObject({ lon: 0, lat: 0 });
    expect(toPosition({ ...nowhere, latitude: 51.5 })).toMatchObject({ lon: 0, lat: 51.5 });
  });

  test('altitude and height never replace each other', () => {
    expect(toPosition({ ...wire, height_agl_m: null })).toMatchObject({ altitudeM: 500, heightAglM: undefined });
    expect(toPosition({ ...wire, altitude_m: null })).toMatchObject({ altitudeM: undefined, heightAglM: 60 });
  });

  test('a number beyond what the compact form carries counts as unreadable, and is never shown as another number', () => {
    const odd = { ...wire, altitude_m: 1e9, speed_mps: -1e9, confidence_score: 1e9 };
    expect(toPosition(odd)).toMatchObject({ altitudeM: undefined, speedMps: undefined, confidenceScore: undefined });
    expect(unreadableValuesIn(odd)).toBe(3);
    expect(unreadableValuesIn({ ...wire, altitude_m: 1e7, speed_mps: -1e7 })).toBe(0);
    expect(toPosition({ ...wire, altitude_m: 1e7 })).toMatchObject({ altitudeM: 1e7 });
  });

  test('0 is a value, null is not, and the two flags are separate', () => {
    expect(toPosition({ ...wire, speed_mps: 0, heading_deg: 0, confidence_score: 0, receiver_count: 0 })).toMatchObject(
      {
        speedMps: 0,
        headingDeg: 0,
        confidenceScore: 0,
        receiverCount: 0,
        simulated: true,
        testBroadcast: true,
      },
    );
    expect(toPosition({ ...wire, test_broadcast: false })).toMatchObject({ simulated: true, testBroadcast: false });
  });
});

test('the table of fields has exactly the contract’s fields', () => {
  const fields = Object.keys(wirePositionSchema(undefined).shape);
  expect(Object.values(RECORD_FIELDS).map((field) => field.wire)).toHaveLength(fields.length);
  expect(new Set(Object.values(RECORD_FIELDS).map((field) => field.wire))).toEqual(new Set(fields));
});

test('the app’s own API returns the contract’s fields under the same names, null where they were null', () => {
  const reported = { confidence: 'single', confidence_score: 0.5, receiver_count: 2, emergency_state: 'none' };
  for (const record of [wire, { ...wire, ...reported }, { ...wire, stale_after: '2026-11-21T10:16:00.000Z' }]) {
    const written = apiRecord(toPosition(record) as Position);
    expect(written).toEqual({ ...record, observed_at: '2026-11-21T10:15:00.000Z' });
    expect(liveRecordSchema.parse(written)).toEqual(written);
  }
});
