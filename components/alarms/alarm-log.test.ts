import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { alarmsCsv, alarmsGeojson, logEntries } from './log-page.tsx';

test('joins alarms, stretches that were not watched and lost layers, the latest first', () => {
  const stretch = {
    from: '2026-11-27T12:30:00Z',
    to: '2026-11-27T12:40:00Z',
    state: 'not_watched' as const,
    reason: 'upstream' as const,
    zone: { id: 'a', name: 'Gate' },
  } as const;
  const lost = { layer: 'adsb', from: '2026-11-27T12:20:00Z', to: '2026-11-27T12:40:00Z', reason: 'upstream' } as const;
  const watching = { zones: 1, since: '2026-11-27T12:00:00Z', unwatched: [stretch], lost: [lost] };
  const alarms = [alarmOf(1), alarmOf(2, { opened_at: '2026-11-27T13:00:00Z' })];
  expect(logEntries({ alarms, watching }).map(({ kind, at }) => [kind, at.slice(11, 16)])).toEqual([
    ['alarm', '13:00'],
    ['unwatched', '12:30'],
    ['lost', '12:20'],
    ['alarm', '12:00'],
  ]);
});

test('exports every tag, empty fields for what is not known, and no formula', () => {
  const closed = { by: '=cmd', at: '2026-11-27T12:01:00Z', as: 'nuisance', comment: 'said "bird", twice' } as const;
  const [head = '', row = ''] = alarmsCsv([alarmOf(1, { simulated: true, test: true, closed })]).split('\r\n');
  const field = (name: string) => row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[head.split(',').indexOf(name)];
  expect([field('simulated'), field('test'), field('ended_at'), field('latitude')]).toEqual(['true', 'true', '', '']);
  expect([field('closed_by'), field('closed_comment')]).toEqual(["'=cmd", '"said ""bird"", twice"']);
  const [feature] = (JSON.parse(alarmsGeojson([alarmOf(1)])) as GeoJSON.FeatureCollection).features;
  expect(feature).toMatchObject({
    geometry: null,
    properties: { zone: 'Runway 14/32', simulated: false, ended_at: null },
  });
});
