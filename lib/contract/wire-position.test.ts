import { describe, expect, test } from 'vitest';
import { wireRecord } from './wire-position.fixture.ts';
import { wirePositionSchema } from './wire-position.ts';

const reads = (change: object) => wirePositionSchema(undefined).safeParse({ ...wireRecord, ...change }).success;

describe('wirePositionSchema', () => {
  test('null stays null: "not reported" is never 0', () => {
    expect(wirePositionSchema(undefined).parse(wireRecord)).toEqual(wireRecord);
  });

  test('passes unknown labels and additional fields through unchanged', () => {
    const later = { ...wireRecord, confidence: 'seven_stations', emergency_state: 'kraken', new_field: { deep: [1] } };
    expect(wirePositionSchema(undefined).parse(later)).toEqual(later);
  });

  test('a history record has no stale_after', () => {
    const { stale_after, ...history } = wireRecord;
    expect(wirePositionSchema(undefined).parse(history)).toEqual(history);
    expect(stale_after).toBeDefined();
  });

  test.each(Object.keys(wireRecord).filter((field) => field !== 'stale_after'))('%s is required', (field) => {
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
