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
  test('an empty answer is an answer, and fields of a later date pass', () => {
    expect(envelopeSchema.parse({ ...envelope, coverage: 'good' })).toEqual({ ...envelope, coverage: 'good' });
  });

  test('a bad record is no reason to refuse the page', () => {
    expect(envelopeSchema.parse({ ...envelope, data: [null, 7, {}] }).data).toHaveLength(3);
  });

  test.each(Object.keys(envelope))('%s is required', (field) => {
    expect(envelopeSchema.safeParse({ ...envelope, [field]: undefined }).success).toBe(false);
  });

  test.each([
    ['another version', { version: '2' }],
    ['the version as a number', { version: 1 }],
    ['another layer', { layer: 'ais' }],
    ['a time without its zone', { generated_at: '2026-11-21T10:15:00' }],
    ['data that is no list', { data: {} }],
  ])('refuses %s', (_, change) => {
    expect(envelopeSchema.safeParse({ ...envelope, ...change }).success).toBe(false);
  });
});
