import { describe, expect, test } from 'vitest';
import { wirePositionSchema } from './wire-position.ts';

const record = {
  public_track_id: 'RX-A-0123456789ABCDEF',
  observed_at: '2026-11-21T10:15:00Z',
  longitude: 8.5,
  latitude: 47.4,
  altitude_m: null,
  height_agl_m: null,
  speed_mps: null,
  heading_deg: null,
  confidence: null,
  confidence_score: null,
  receiver_count: null,
  track_kind: 'adsb_aircraft',
  simulated: false,
  test_broadcast: false,
  emergency_state: null,
  stale_after: '2026-11-21T10:16:00Z',
};
const reads = (change: object) => wirePositionSchema(undefined).safeParse({ ...record, ...change }).success;

describe('wirePositionSchema', () => {
  test('null stays null: "not reported" is never 0', () => {
    expect(wirePositionSchema(undefined).parse(record)).toEqual(record);
  });

  test('passes unknown labels and additional fields through unchanged', () => {
    const later = { ...record, confidence: 'seven_stations', emergency_state: 'kraken', new_field: { deep: [1] } };
    expect(wirePositionSchema(undefined).parse(later)).toEqual(later);
  });

  test('a history record has no stale_after', () => {
    const { stale_after, ...history } = record;
    expect(wirePositionSchema(undefined).parse(history)).toEqual(history);
    expect(stale_after).toBeDefined();
  });

  test.each(Object.keys(record).filter((field) => field !== 'stale_after'))('%s is required', (field) => {
    expect(reads({ [field]: undefined })).toBe(false);
  });

  test.each([
    ['a longitude beyond 180', { longitude: 180.0001 }],
    ['a latitude beyond 90', { latitude: -90.0001 }],
    ['a null coordinate', { longitude: null }],
    ['a number as text', { altitude_m: '300' }],
    ['a time without a timezone', { observed_at: '2026-11-21T10:15:00' }],
    ['an expiry that is not a time', { stale_after: 'soon' }],
    ['an unknown kind', { track_kind: 'balloon' }],
    ['half a receiver', { receiver_count: 1.5 }],
    ['a flag as text', { simulated: 'false' }],
  ])('refuses %s', (_, change) => {
    expect(reads(change)).toBe(false);
  });

  test('rejects a number that JSON.parse reads as Infinity', () => {
    expect(reads(JSON.parse('{"altitude_m": 1e999}') as object)).toBe(false);
  });
});
