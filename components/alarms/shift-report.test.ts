import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { fieldMs, fieldText, shiftReport } from './shift-report.tsx';

const START = '2026-11-27T08:00:00Z';

test('names operators, alarms with their comments in order of time, and stretches without watching', () => {
  const answer = { by: 'tower', at: '2026-11-27T12:05:00Z', until: null, comment: 'called the pilot' };
  const later = alarmOf(2, { opened_at: '2026-11-27T12:10:00Z' });
  const earlier = alarmOf(1, { opened_at: '2026-11-27T12:04:00Z', acknowledged: answer });
  const stretch = { from: '2026-11-27T11:00:00Z', to: '2026-11-27T11:20:00Z', state: 'not_watched' as const };
  const zone = { id: 'zone', name: 'North gate' };
  const watching = {
    zones: 1,
    since: START,
    unwatched: [{ ...stretch, reason: 'upstream' as const, zone }],
    lost: [
      { layer: 'adsb' as const, from: stretch.from, to: '2026-11-27T11:10:00Z', reason: 'capped' as const },
      { layer: 'rid' as const, from: START, to: '2026-11-27T12:00:00Z', reason: 'receivers_lost' as const },
    ],
  };
  const open = [
    { from: '2026-11-27T08:02:10Z', to: '2026-11-27T12:40:50Z' },
    { from: '2026-11-27T23:00:00Z', to: '2026-11-28T00:10:00Z' },
  ];
  const presence = { operators: [{ operator: 'tower', stretches: open }], cut: false };
  const log = { alarms: [later, earlier], isCut: false, watching };
  const [pages, operators, alarms, unwatched] = shiftReport(log, presence, START, 'utc');
  expect(pages?.rows).toEqual([
    ['tower', '2026-11-27 08:02–12:40Z'],
    ['tower', '2026-11-27 23:00–2026-11-28 00:10Z'],
  ]);
  expect(operators?.rows).toEqual([['tower', '1', '0']]);
  expect(alarms?.rows.map(([opened]) => opened)).toEqual(['2026-11-27 12:04:00Z', '2026-11-27 12:10:00Z']);
  expect(alarms?.rows[0]?.[4]).toBe('tower, 2026-11-27 12:05:00Z: “called the pilot”');
  expect(alarms?.rows[1]?.[4]).toBe('New');
  expect(unwatched?.rows).toEqual([
    ['2026-11-27 08:00:00Z', '2026-11-27 12:00:00Z', 'All zones', 'Drones not watched', 'all receivers were down'],
    ['2026-11-27 11:00:00Z', '2026-11-27 11:20:00Z', 'North gate', 'Not watched', 'the service does not answer'],
    ['2026-11-27 11:00:00Z', '2026-11-27 11:10:00Z', 'All zones', 'Aircraft not read', 'the service sends only a part'],
  ]);
});

test('says so where there is nothing to list, and never that nothing was there', () => {
  const none = (zones: number, since = START, operators: [] | null = []) => {
    const log = { alarms: [], isCut: false, watching: { zones, since, unwatched: [], lost: [] } };
    const tables = shiftReport(log, { operators, cut: false }, START, 'utc');
    expect(tables.flatMap(({ rows }) => rows)).toEqual([]);
    return tables.map((table) => table.none);
  };
  expect(none(1)).toEqual([
    'No operator had a page open that received alarms.',
    'No operator acknowledged or closed an alarm of this span.',
    'No alarm opened in this span, from received positions.',
    'Every zone that you see was watched during its hours in this span.',
  ]);
  expect(none(0)[3]).toBe(
    'No zone that you see was watched in this span. Without a zone, Lookout does not record whether a layer was read.',
  );
  expect(none(1, '2026-11-27T10:00:00Z')[3]).toMatch(/too long: it begins 2026-11-27 10:00:00Z here/);
  expect(none(1, START, null)[0]).toMatch(/^Without sign-in, operators have no names/);
});

test.each(['utc', 'local'] as const)('a field for date and time keeps its minute in %s', (clock) => {
  const ms = Date.parse('2026-11-27T06:30:00Z');
  expect(fieldMs(fieldText(ms, clock), clock)).toBe(ms);
  expect(fieldMs('', clock)).toBeUndefined();
});
