import { describe, expect, it } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { FIELD_NAMES, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { mainFields, otherFields } from './track-fields.tsx';

const bare: Position = {
  ...plainPosition,
  ref: 'RX-A-3436393264307A7A',
  observedAt: upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 18)),
  lon: 8.38088,
  lat: 47.15029,
};

const home = { lon: 8.38088, lat: 47 };
const allFields = (position: Position, units: UnitSystem = 'metric') => {
  const setting = { units, zone: 'utc', home } as const;
  return [...mainFields(position, setting), ...otherFields(position, setting)];
};
const fieldsOf = (position: Position) => new Map(allFields(position).map((field) => [field.label, field]));

describe('fields of the card', () => {
  it('has every field of a record but those of its mark and head, each explained in one line', () => {
    const later = upstreamInstant(Date.UTC(2026, 10, 21, 11, 5));
    const changed = { instant: later, expiry: later, coordinate: 7, measure: 7, label: 'odd', flag: true } as const;
    const before = fieldsOf(bare);
    const silent = FIELD_NAMES.filter((name) => {
      const { is } = RECORD_FIELDS[name];
      if (is === 'reference' || is === 'kind' || is === 'flag' || name === 'confidence') return false;
      const after = fieldsOf({ ...bare, [name]: changed[is] });
      return [...after].every(([label, { value }]) => value === before.get(label)?.value);
    });
    expect(silent).toEqual([]);
    for (const { note } of before.values()) expect(note).toMatch(/^[^\n]{10,120}\.$/);
  });

  it('begins with the height of a drone or the altitude of an aircraft, the speed and the way from home', () => {
    const setting = { units: 'metric', zone: 'utc', home } as const;
    const shown = mainFields({ ...bare, kind: 'drone', heightAglM: 84.4 }, setting);
    expect(shown.map(({ label }) => label)).toEqual([
      'Height above ground, estimated',
      'Ground speed',
      'From home',
      'Altitude (reference not stated)',
      'Heading',
      'Position',
    ]);
    expect(shown.map(({ value, detail = '' }) => value && value + detail)).toEqual([
      '84 m',
      undefined,
      '16.71 km 000°',
      undefined,
      undefined,
      '47.15029, 8.38088',
    ]);
    const [first] = mainFields({ ...bare, kind: 'aircraft' }, setting);
    expect(first?.label).toBe('Altitude (reference not stated)');
  });

  it('says an emergency, simulated data and a test in its head alone', () => {
    const marked = fieldsOf({ ...bare, simulated: true, testBroadcast: true });
    expect([marked.has('Simulated'), marked.has('Test broadcast')]).toEqual([false, false]);
    expect(fieldsOf(bare).get('Simulated')?.value).toBe('no');
    expect(fieldsOf({ ...bare, emergencyState: 'general' }).has('Emergency state')).toBe(false);
  });

  it('is empty for an unreported field, never 0', () => {
    const missing = allFields(bare, 'aviation').filter(({ value }) => value === undefined);
    expect(missing.map(({ label }) => label)).toEqual([
      'Altitude (reference not stated)',
      'Ground speed',
      'Height above ground, estimated',
      'Heading',
      'Confidence score',
      'Emergency state',
      'Receivers',
      'Expires at',
    ]);
  });

  it('shows a reported 0 as 0', () => {
    const fields = fieldsOf({ ...bare, altitudeM: 0, speedMps: 0, receiverCount: 0, confidenceScore: 0 });
    expect(fields.get('Altitude (reference not stated)')?.value).toBe('0 m');
    expect(fields.get('Ground speed')?.value).toBe('0 m/s');
    expect(fields.get('Receivers')?.value).toBe('0');
    expect(fields.get('Confidence score')?.value).toBe('0');
  });

  it('passes states and scores through unchanged, never as a percentage', () => {
    const fields = fieldsOf({ ...bare, confidence: 'brand_new', confidenceScore: 0.86, emergencyState: 'squawk-odd' });
    expect(fields.get('Confidence score')?.value).toBe('0.86');
    expect(fields.get('Emergency state')?.value).toBe('squawk-odd');
  });

  it('shows an unknown emergency state as unknown, and notes that it is not an all-clear', () => {
    const field = fieldsOf({ ...bare, emergencyState: 'unknown' }).get('Emergency state');
    expect(field?.value).toBe('unknown');
    expect(field?.note).toContain('not an all-clear');
  });

  it('gives every time with its zone', () => {
    expect(fieldsOf(bare).get('Observed')?.value).toBe('2026-11-21 11:04:18Z');
  });
});
