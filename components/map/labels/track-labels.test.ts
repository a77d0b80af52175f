import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { recordColumns } from '#lib/client/live/record-columns.fixture.ts';
import { TrackStore } from '#lib/client/live/track-store.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { makePicture, type Picture } from '#lib/picture/picture.ts';
import { plainRecord, RECORDS_AT_MS } from '../../../lib/api/arbitrary-record.fixture.ts';
import { markLook } from '../marks/mark-size.ts';
import type { GlyphMetrics } from './labels-layer.ts';
import type { MapName } from './map-names.ts';
import { LABEL_SIDES } from './place-labels.ts';
import { type LabelOptions, TrackLabels } from './track-labels.ts';

const metrics: GlyphMetrics = {
  cellTexels: 16,
  padPx: 2,
  linePx: 12.5,
  glyph: () => ({ column: 0, row: 0, width: 10, advancePx: 6 }),
};
const options: LabelOptions = { level: 'reference', units: 'metric', metrics, look: markLook(9, 'normal') };
const camera = { x: mercatorX(8.5), y: mercatorY(47.5), zoom: 9, bearingDeg: 0, widthPx: 1000, heightPx: 600 };

function record(number: number, more: Partial<LiveRecord>): LiveRecord {
  return { ...plainRecord, public_track_id: `RX-A-${String(number).padStart(16, '0')}`, ...more };
}

function scene(...records: LiveRecord[]): { store: TrackStore; picture: Picture } {
  const store = new TrackStore();
  store.apply(recordColumns(records));
  const picture = makePicture(Math.max(8, records.length));
  drawPicture(store.columns, RECORDS_AT_MS, [], picture);
  return { store, picture };
}

const texts = (labels: readonly { lines: readonly string[] }[]) => labels.map(({ lines }) => lines.join('\n'));

describe('TrackLabels', () => {
  test('emergencies come first, then tests, then the others; marks out of view have none', () => {
    const { store, picture } = scene(
      record(1, { longitude: 8.2 }),
      record(2, { longitude: 8.4, test_broadcast: true }),
      record(3, { longitude: 8.6, emergency_state: 'general' }),
      record(4, { longitude: 20 }),
    );
    const labels = new TrackLabels();
    expect(texts(labels.place(picture, store, camera, options))).toEqual(['GENERAL 00003', 'TEST 00002', '00001']);
    const tagsOnly = labels.place(picture, store, camera, { ...options, level: 'off' });
    expect(texts(tagsOnly)).toEqual(['GENERAL', 'TEST']);
    expect(tagsOnly.map(({ emergency }) => emergency)).toEqual([true, false]);
  });

  test('at a low zoom, one badge next to a real emergency counts those in view, real ones apart', () => {
    const far = { ...camera, zoom: 3 };
    const calm = scene(record(1, {}), record(2, { longitude: 8.9, test_broadcast: true }));
    expect(new TrackLabels().place(calm.picture, calm.store, far, options)).toEqual([]);
    const { store, picture } = scene(
      record(1, { emergency_state: 'general', simulated: true }),
      record(2, { longitude: 20, emergency_state: 'nordo' }),
      record(3, { longitude: 21, emergency_state: 'general' }),
      record(4, { longitude: -150, emergency_state: 'general' }),
    );
    const [badge, ...others] = new TrackLabels().place(picture, store, far, { ...options, level: 'off' });
    expect(others).toEqual([]);
    expect(badge).toMatchObject({ lines: ['2 emergencies · 1 simulated'], isBadge: true });
    expect(badge?.mercatorX).toBeCloseTo(mercatorX(20));
  });

  test('SIM is repeated only where some marks are not simulated', () => {
    const simulated = record(1, { simulated: true });
    const alone = scene(simulated);
    expect(texts(new TrackLabels().place(alone.picture, alone.store, camera, options))).toEqual(['00001']);
    const mixed = scene(simulated, record(2, { longitude: 8.9 }));
    expect(texts(new TrackLabels().place(mixed.picture, mixed.store, camera, options))).toEqual(['SIM 00001', '00002']);
  });

  test('a label keeps its side after what was in its way has gone, and its place in the next answer', () => {
    const blocker = record(2, { longitude: 8.57 });
    const { store, picture } = scene(record(1, {}), blocker);
    const labels = new TrackLabels();
    const sideOf = (placed: ReturnType<TrackLabels['place']>) => LABEL_SIDES[placed[0]?.side ?? -1];
    expect(sideOf(labels.place(picture, store, camera, options))).toBe('left');
    store.apply(recordColumns([{ ...blocker, longitude: 9.5, observed_at: '2026-11-21T12:00:01.000Z' }]));
    drawPicture(store.columns, RECORDS_AT_MS, [], picture);
    expect(sideOf(labels.place(picture, store, camera, options))).toBe('left');
    expect(sideOf(new TrackLabels().place(picture, store, camera, options))).toBe('right');
  });

  test('a label follows its mark, fades with it, and goes with it', () => {
    const { store, picture } = scene(record(1, {}), record(2, { longitude: 8.9 }));
    const labels = new TrackLabels();
    labels.place(picture, store, camera, options);
    drawPicture(store.columns, RECORDS_AT_MS + 40_000, [], picture);
    picture.mercatorX[0] = 0.5;
    expect(labels.follow(picture).map(({ mercatorX: x, opacity }) => ({ x, opacity }))).toEqual([
      { x: 0.5, opacity: picture.colour[3] },
      { x: picture.mercatorX[1], opacity: picture.colour[7] },
    ]);
    expect(picture.colour[3]).toBeLessThan(255);
    drawPicture(store.columns, RECORDS_AT_MS + 300_000, [], picture);
    expect(labels.follow(picture)).toEqual([]);
  });

  test('names of the map win over every label, an emergency’s too, and stay in a replay', () => {
    const { store, picture } = scene(
      record(1, { longitude: 8.5, emergency_state: 'general' }),
      record(2, { longitude: 8.9 }),
    );
    const name: MapName = {
      mercatorX: mercatorX(8.65),
      mercatorY: mercatorY(47.5),
      lines: ['Watch 15 km'],
      side: 'above',
      look: 'plain',
      tone: 2,
    };
    const far = { ...name, mercatorX: mercatorX(20) };
    const labels = new TrackLabels();
    const placed = labels.place(picture, store, camera, { ...options, names: [name, far] });
    expect(texts(placed)).toEqual(['Watch 15 km', 'GENERAL 00001', '00002']);
    expect(placed[0]).toMatchObject({ tone: 2, isBadge: false });
    expect(LABEL_SIDES[placed[0]?.side ?? -1]).toBe('above');
    expect(texts(labels.follow(picture))).toEqual(texts(placed));
    const tiny = { ...name, span: 1e-6 };
    const near = new TrackLabels().place(picture, store, camera, {
      ...options,
      names: [tiny, { ...tiny, look: 'lit' }],
    });
    expect(texts(near), 'a zone of a few pixels is named while it is alarmed').toEqual([
      'Watch 15 km',
      'GENERAL 00001',
      '00002',
    ]);
    const crowded = labels.place(picture, store, camera, {
      ...options,
      names: Array.from({ length: 250 }, () => name),
    });
    expect(texts(crowded), 'names in one place leave room for tracks').toContain('GENERAL 00001');
  });
});

test('a press on a name finds it where its plate is drawn, and nothing next to it', () => {
  const { store, picture } = scene(record(1, { longitude: 8.9 }));
  const name: MapName = {
    mercatorX: mercatorX(8.5),
    mercatorY: mercatorY(47.5),
    lines: ['Runway 14', '1 new'],
    side: 'above',
    look: 'lit',
    opens: { zone: 'a', alarm: 'b' },
  };
  const labels = new TrackLabels();
  labels.place(picture, store, camera, { ...options, names: [name] });
  expect(labels.nameAt(0, -15)?.opens).toEqual({ zone: 'a', alarm: 'b' });
  expect(labels.nameAt(25, -25)).toBe(name);
  expect(labels.nameAt(0, 20)).toBeUndefined();
  expect(labels.nameAt(60, -15)).toBeUndefined();
  labels.place(picture, store, { ...camera, zoom: 3 }, { ...options, names: [name] });
  expect(labels.nameAt(0, -15)).toBeUndefined();
});
