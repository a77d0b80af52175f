import { expect, test } from 'vitest';
import type { Permit } from '#lib/api/watching/permits.ts';
import { notesOfShift, permitsOfShift } from './shift-tables.ts';

const PERMIT: Permit = {
  id: '00000000-0000-4000-8000-00000000000a',
  revision: 1,
  zone: { id: '00000000-0000-4000-8000-00000000000b', name: 'Runway 14/32' },
  name: 'Survey flight, police',
  layers: ['rid'],
  track: null,
  shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 500 },
  vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
  start: '2026-11-29T14:00:00Z',
  end: '2026-11-29T16:00:00Z',
  state: 'current',
  made_by: 'Anna',
  made_at: '2026-11-29T13:58:00Z',
  changed: null,
  ended: null,
};

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
