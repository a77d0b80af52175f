import { describe, expect, it } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { DEFAULT_COLUMNS, TABLE_COLUMNS } from '#lib/picture/table-columns.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { cellText, shownColumns } from './track-columns.ts';

const all = DEFAULT_COLUMNS.map(({ name }) => ({ name, isShown: true }));
const from = { lon: 8.5, lat: 47.4 };

describe('the table’s columns', () => {
  it('are the chosen ones in their order', () => {
    const shown = shownColumns(DEFAULT_COLUMNS, { units: 'metric', zone: 'utc', point: 'here' }).map(
      ({ name }) => name,
    );
    expect(shown).toEqual(['kind', 'ref', 'altitudeM', 'heightAglM', 'speedMps', 'headingDeg', 'age']);
    expect(
      shownColumns([...all].reverse(), { units: 'metric', zone: 'utc', point: 'here' }).map(({ name }) => name),
    ).toEqual([...TABLE_COLUMNS].reverse());
  });

  it('have distinct names, with their unit and the point of reference, in every system of units', () => {
    for (const units of UNIT_SYSTEMS) {
      const columns = shownColumns(all, { units, zone: 'utc', point: 'Zürich' });
      for (const names of [columns.map(({ long }) => long), columns.map(({ short }) => short)])
        expect(new Set(names).size).toBe(names.length);
    }
    const aviation = shownColumns(all, { units: 'aviation', zone: 'utc', point: 'Zürich' });
    expect(aviation.map(({ short }) => short)).toContain('Alt ft');
    expect(aviation.map(({ long }) => long)).toContain('Distance in nm from Zürich');
  });
});

describe('the text of a cell', () => {
  const text = (column: Parameters<typeof cellText>[0], part: Partial<typeof plainPosition> = {}) =>
    cellText(column, { ...plainPosition, ...part }, { units: 'aviation', zone: 'utc', from });

  it('keeps altitude and height apart', () => {
    const high = { altitudeM: 304.8, heightAglM: undefined };
    expect([text('altitudeM', high), text('heightAglM', high)]).toEqual(['1000', undefined]);
  });

  it('says what was not reported, and never as 0', () => {
    const names = [
      'altitudeM',
      'heightAglM',
      'speedMps',
      'headingDeg',
      'confidence',
      'confidenceScore',
      'receiverCount',
      'emergencyState',
      'staleAfter',
    ] as const;
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
    for (const name of names) expect(text(name, nothing)).toBeUndefined();
  });

  it('passes labels through, and gives times with date and zone', () => {
    expect(text('confidence', { confidence: 'näher' })).toBe('näher');
    expect(text('emergencyState', { emergencyState: 'unknown' })).toBe('unknown');
    expect(text('staleAfter', { staleAfter: upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 18)) })).toBe(
      '2026-11-21 11:04:18Z',
    );
    expect([text('simulated', { simulated: true }), text('testBroadcast', { testBroadcast: false })]).toEqual([
      'yes',
      'no',
    ]);
  });

  it('has distance and bearing from the point of reference; none to itself', () => {
    expect(text('distance', { lon: 8.5, lat: 48.4 })).toBe('60.04');
    expect(text('bearing', { lon: 8.5, lat: 48.4 })).toBe('000°');
    expect([text('distance', from), text('bearing', from)]).toEqual(['0.00', 'here']);
  });
});
