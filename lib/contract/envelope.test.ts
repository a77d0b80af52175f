import { describe, expect, test } from 'vitest';
import { envelopeSchema } from './envelope.ts';

const envelope = {
  version: '1',
  request_id: 'r1',
  generated_at: '2026-11-21T10:15:00Z',
  layer: 'adsb',
  mode: 'live',
  data: [],
  next_cursor: null,
  truncated: false,
};

describe('envelopeSchema', () => {
  test('accepts an empty page and fields added in a later version', () => {
    expect(envelopeSchema.parse({ ...envelope, coverage: 'good' })).toEqual({ ...envelope, coverage: 'good' });
  });

  test('a malformed record does not invalidate the page', () => {
    expect(envelopeSchema.parse({ ...envelope, data: [null, 7, {}] }).data).toHaveLength(3);
  });

  test.each(Object.keys(envelope))('%s is required', (field) => {
    expect(envelopeSchema.safeParse({ ...envelope, [field]: undefined }).success).toBe(false);
  });

  test.each([
    ['a different version', { version: '2' }],
    ['the version as a number', { version: 1 }],
    ['an unknown layer', { layer: 'ais' }],
    ['a time without a timezone', { generated_at: '2026-11-21T10:15:00' }],
    ['data that is not a list', { data: {} }],
  ])('refuses %s', (_, change) => {
    expect(envelopeSchema.safeParse({ ...envelope, ...change }).success).toBe(false);
  });
});
