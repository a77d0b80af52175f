import { describe, expect, test } from 'vitest';
import type { Permit } from '#lib/api/watching/permits.ts';
import type { ZoneSums } from '#lib/api/watching/zones.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { incidentOf } from '#lib/client/incidents/incident.fixture.ts';
import { permitOf } from '#lib/client/zones/permit.fixture.ts';
import { watchingTexts } from './alarm-text.ts';
import { incidentsOfShift, notesOfShift, permitsOfShift, shiftReport } from './shift-report.tsx';

const START = '2026-11-27T08:00:00Z';

test('names operators, alarms with their comments in order of time, and stretches without watching', () => {
  const comment = `called the pilot. ${'No answer on the frequency. '.repeat(40)}`;
  const answer = { by: 'tower', at: '2026-11-27T12:05:00Z', until: null, comment };
  const permit = { name: 'Survey flight, police', until: '2026-11-27T16:00:00Z' };
  const permitted = {
    kind: 'permitted' as const,
    by: 'tower',
    at: '2026-11-27T12:11:00Z',
    until: permit.until,
    as: null,
    comment: permit.name,
  };
  const later = alarmOf(2, { opened_at: '2026-11-27T12:10:00Z', expected: true, permit, notes: [permitted] });
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
    of_zones: [
      {
        zone,
        made_at: null,
        removed_at: null,
        from: START,
        to: '2026-11-27T11:59:58Z',
        sums: [
          { state: 'watched' as const, reason: null, seconds: 13_198 },
          { state: 'not_watched' as const, reason: 'upstream' as const, seconds: 1200 },
          { state: 'not_watched' as const, reason: 'no_record' as const, seconds: 2 },
          { state: 'outside_hours' as const, reason: null, seconds: 14_400 },
        ],
      },
    ],
  };
  const open = [
    { from: '2026-11-27T08:02:10Z', to: '2026-11-27T12:40:50Z' },
    { from: '2026-11-27T23:00:00Z', to: '2026-11-28T00:10:00Z' },
  ];
  const presence = { operators: [{ operator: 'tower', stretches: open }], cut: false };
  const log = { alarms: [later, earlier], isCut: false, watching };
  const [pages, operators, alarms, zones, gaps] = shiftReport(log, presence, START, 'utc').map(({ rows }) => ({
    cells: rows.map((row) => row.cells),
    remarks: rows.map((row) => row.remarks ?? []),
  }));
  expect(pages?.cells).toEqual([
    ['tower', '2026-11-27 08:02–12:40Z'],
    ['tower', '2026-11-27 23:00–2026-11-28 00:10Z'],
  ]);
  expect(operators?.cells).toEqual([['tower', '1', '1', '0']]);
  expect(alarms?.cells.map(([opened]) => opened)).toEqual(['2026-11-27 12:04:00Z', '2026-11-27 12:10:00Z']);
  expect(alarms?.cells.map((cells) => cells[4])).toEqual(['tower, 2026-11-27 12:05:00Z', 'Permitted']);
  expect(alarms?.cells[1]?.[2]).toContain('Permitted: Survey flight, police, until 2026-11-27 16:00Z');
  expect(alarms?.remarks).toEqual([
    [`tower: “${comment}”`],
    ['Permitted by tower at 2026-11-27 12:11:00Z, until 2026-11-27 16:00:00Z: “Survey flight, police”'],
  ]);
  expect(zones?.cells).toEqual([
    ['North gate', '08:00–11:59Z (3 h 39 min of 8 h)', '20 min: the service does not answer. Outside its hours 4 h'],
  ]);
  expect(gaps?.cells).toEqual([
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
    'No operator had Lookout open.',
    'No operator answered an alarm of this span.',
    'No alarm opened in this span, from received positions.',
    'There was no zone in this span.',
    'No gap is recorded in the times at which the zones were watched.',
  ]);
  expect(none(0)[3]).toBe(
    'No zone that you see was watched in this span. Without a zone, Lookout does not record whether a layer was read.',
  );
  expect(none(1, '2026-11-27T10:00:00Z')[3]).toMatch(/too long: it begins 2026-11-27 10:00:00Z here/);
  expect(none(1, START, null)[0]).toMatch(/^Without sign-in, operators have no names/);
});

describe('how long a zone was watched', () => {
  const texts = (its: Partial<ZoneSums>) =>
    watchingTexts(
      {
        zone: { id: 'zone', name: 'Watch 15 km' },
        made_at: null,
        removed_at: null,
        from: '2026-11-27T07:46:03Z',
        to: '2026-11-27T08:01:20Z',
        sums: [],
        ...its,
      },
      'utc',
    );

  test('a new zone was watched since it was made, and never before', () => {
    const sums: ZoneSums['sums'] = [
      { state: 'watched', reason: null, seconds: 917 },
      { state: 'not_watched', reason: 'no_record', seconds: 3 },
      { state: 'absent', reason: null, seconds: 27_880 },
    ];
    expect(texts({ made_at: '2026-11-27T07:46:00Z', sums })).toEqual([
      '07:46–08:01Z (15 min of 8 h)',
      'Created 2026-11-27 07:46:00Z',
    ]);
  });

  test('partly and never watched zones say so first', () => {
    const partly = { state: 'partly' as const, reason: 'receivers_partly' as const, seconds: 1800 };
    const absent = { state: 'absent' as const, reason: null, seconds: 1800 };
    expect(texts({ sums: [partly, absent] })).toEqual([
      'Partly 07:46–08:01Z (30 min of 1 h)',
      'Partly 30 min: some receivers were down or heard little',
    ]);
    const never = { state: 'not_watched' as const, reason: 'no_rule' as const, seconds: 3600 };
    expect(texts({ from: null, to: null, sums: [never] })).toEqual([
      'Not watched (0 min of 1 h)',
      '1 h: the zone has no rule',
    ]);
  });

  test('a window of days names its days', () => {
    expect(texts({ sums: [{ state: 'watched', reason: null, seconds: 2 * 86_400 }] })[0]).toBe(
      '2026-11-27 07:46–08:01Z (2 d of 2 d)',
    );
  });
});

const PERMIT = permitOf({ shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 500 } });

test('the report of a shift has its permits in order of time, with dates, area, height and who made and ended them', () => {
  const early: Permit = {
    ...PERMIT,
    name: 'Crane',
    shape: null,
    vertical: null,
    start: '2026-11-29T12:00:00Z',
    end: '2026-11-29T18:00:00Z',
    state: 'ended',
    ended: { by: 'Bea', at: '2026-11-29T13:00:00Z' },
  };
  const { caption, rows } = permitsOfShift({ permits: [PERMIT, early], cut: false }, 'metric', 'utc');
  expect(caption).toBe('Permits: 2');
  expect(rows.map(({ cells }) => cells)).toEqual([
    [
      'Crane',
      'Runway 14/32',
      'Every drone · whole zone · every height',
      '2026-11-29 12:00Z to 2026-11-29 18:00Z',
      'Ended 2026-11-29 13:00Z by Bea · by Anna',
    ],
    [
      'Survey flight, police',
      'Runway 14/32',
      'Every drone · Circle, radius 500 m · up to 120 m above ground',
      '2026-11-29 14:00Z to 2026-11-29 16:00Z',
      'Until 2026-11-29 16:00Z · by Anna',
    ],
  ]);
});

test('the report has the notes for the next shift in order of time, whole, with their readers, and says where some may be missing', () => {
  const note = { id: PERMIT.id, by: 'Anna', mine: false, read: false };
  const late = { ...note, note: 'Crane at gate 4.\nUntil noon.', at: '2026-11-29T13:50:00Z', readers: [] };
  const readers = [{ by: 'Bea', at: '2026-11-29T14:02:00Z' }];
  const early = { ...note, by: '', note: 'All quiet.', at: '2026-11-29T09:00:00Z', readers };
  expect(notesOfShift({ notes: [late, early], cut: false }, 'utc').rows).toEqual([
    {
      cells: ['2026-11-29 09:00:00Z', 'An operator (no sign-in)', 'Bea, 2026-11-29 14:02:00Z'],
      remarks: ['All quiet.'],
    },
    { cells: ['2026-11-29 13:50:00Z', 'Anna', 'Not read'], remarks: [late.note] },
  ]);
  expect(notesOfShift({ notes: [], cut: true }, 'utc').none).toContain('deleted');
});

test('the report has the incidents that were open or ran in its span, by number', () => {
  const span = { startMs: Date.parse('2026-11-27T12:00:00Z'), endMs: Date.parse('2026-11-27T20:00:00Z') };
  const before = { from: '2026-11-27T02:00:00Z', opened: { by: 'al', at: '2026-11-27T02:05:00Z' } };
  const incidents = [
    incidentOf(5, { from: '2026-11-27T21:00:00Z', opened: { by: 'al', at: '2026-11-27T21:00:00Z' } }),
    incidentOf(4, { opened: { by: '', at: '2026-11-27T12:05:00Z' }, notes: 0 }),
    incidentOf(3, {
      ...before,
      state: 'sealed',
      to: '2026-11-27T11:00:00Z',
      closed: { by: 'al', at: '2026-11-27T13:00:00Z' },
    }),
    incidentOf(2, {
      ...before,
      state: 'closed',
      to: '2026-11-27T03:00:00Z',
      closed: { by: 'al', at: '2026-11-27T04:00:00Z' },
    }),
  ];
  expect(incidentsOfShift(incidents, span, 'utc').rows.map(({ cells }) => cells)).toEqual([
    [
      '2026-003',
      'Drone near 14',
      'Sealed',
      'al, 2026-11-27 02:05:00Z',
      '2026-11-27 02:00:00Z',
      '2026-11-27 11:00:00Z',
      '2',
    ],
    ['2026-004', 'Drone near 14', 'Open', '2026-11-27 12:05:00Z', '2026-11-27 12:00:00Z', 'Running', '0'],
  ]);
  expect(incidentsOfShift([], span, 'utc').none).toBe('No incident was open in this span.');
});
