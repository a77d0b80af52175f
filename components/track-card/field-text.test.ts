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
  it('has every field of a record but those of its mark and heading, each explained in one line', () => {
    const later = upstreamInstant(Date.UTC(2026, 10, 21, 11, 5));
    const changed = { instant: later, expiry: later, coordinate: 7, measure: 7, label: 'odd', flag: true } as const;
    const before = fieldsOf(bare);
    const silent = FIELD_NAMES.filter((name) => {
      const { is } = RECORD_FIELDS[name];
      if (is === 'reference' || is === 'kind') return false;
      const after = fieldsOf({ ...bare, [name]: changed[is] });
      return [...after].every(([label, { value }]) => value === before.get(label)?.value);
    });
    expect(silent).toEqual([]);
    for (const { note } of before.values()) expect(note).toMatch(/^[^\n]{10,120}\.$/);
  });

  it('begins with altitude, height, speed, heading, position, and the way from home', () => {
    const shown = mainFields({ ...bare, heightAglM: 84 }, { units: 'metric', zone: 'utc', home });
    expect(shown.map(({ label }) => label)).toEqual([
      'Altitude (reference not stated)',
      'Height above ground, estimated',
      'Ground speed',
      'Heading',
      'Position',
      'From home',
    ]);
    expect(shown[1]?.value).toBe('84 m');
    expect(shown[4]?.value).toBe('47.15029, 8.38088');
    expect(shown[5]?.value).toBe('16.71 km · 000°');
  });

  it('is empty for an unreported field, never 0', () => {
    const missing = allFields(bare, 'aviation').filter(({ value }) => value === undefined);
    expect(missing.map(({ label }) => label)).toEqual([
      'Altitude (reference not stated)',
      'Height above ground, estimated',
      'Ground speed',
      'Heading',
      'Confidence (label, score)',
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
    expect(fields.get('Confidence (label, score)')?.value).toBe('no label · 0');
  });

  it('passes labels and scores through unchanged, never as a percentage', () => {
    const fields = fieldsOf({ ...bare, confidence: 'brand_new', confidenceScore: 0.86, emergencyState: 'squawk-odd' });
    expect(fields.get('Confidence (label, score)')?.value).toBe('brand_new · 0.86');
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
