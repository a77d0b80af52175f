import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { fieldMs, fieldText, shiftReport } from './shift-report.ts';

test('names operators, alarms with their comments in order of time, and stretches without watching', () => {
  const answer = { by: 'tower', at: '2026-11-27T12:05:00Z', until: null, comment: 'called the pilot' };
  const later = alarmOf(2, { opened_at: '2026-11-27T12:10:00Z' });
  const earlier = alarmOf(1, { opened_at: '2026-11-27T12:04:00Z', acknowledged: answer });
  const stretch = { from: '2026-11-27T11:00:00Z', to: '2026-11-27T11:20:00Z', state: 'not_watched' as const };
  const zone = { id: 'zone', name: 'North gate' };
  const log = {
    alarms: [later, earlier],
    unwatched: [{ ...stretch, reason: 'upstream' as const, zone }],
    isCut: false,
    lost: [{ layer: 'adsb' as const, from: stretch.from, to: '2026-11-27T11:10:00Z', reason: 'capped' as const }],
  };
  const [operators, alarms, unwatched] = shiftReport(log, 'utc');
  expect(operators?.rows).toEqual([['tower', '1', '0']]);
  expect(alarms?.rows.map(([opened]) => opened)).toEqual(['2026-11-27 12:04:00Z', '2026-11-27 12:10:00Z']);
  expect(alarms?.rows[0]?.[4]).toBe('tower, 2026-11-27 12:05:00Z: “called the pilot”');
  expect(alarms?.rows[1]?.[4]).toBe('New');
  expect(unwatched?.rows).toEqual([
    ['2026-11-27 11:00:00Z', '2026-11-27 11:20:00Z', 'North gate', 'Not watched', 'the service does not answer'],
    ['2026-11-27 11:00:00Z', '2026-11-27 11:10:00Z', 'All zones', 'Aircraft not read', 'the service sends only a part'],
  ]);
});

test('says so where there is nothing to list, and never that nothing was there', () => {
  const tables = shiftReport({ alarms: [], unwatched: [], lost: [], isCut: false }, 'utc');
  expect(tables.map(({ rows }) => rows)).toEqual([[], [], []]);
  expect(tables[1]?.none).toBe('No alarm opened in this span, from received positions.');
});

test.each(['utc', 'local'] as const)('a field for date and time keeps its minute in %s', (clock) => {
  const ms = Date.parse('2026-11-27T06:30:00Z');
  expect(fieldMs(fieldText(ms, clock), clock)).toBe(ms);
  expect(fieldMs('', clock)).toBeUndefined();
});
