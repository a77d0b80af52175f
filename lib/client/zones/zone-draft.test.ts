import { expect, test } from 'vitest';
import { Evaluator, seen, zoneOf } from '#lib/zones/evaluation/world.fixture.ts';
import { typedShape } from '#lib/zones/typed-shape.ts';
import {
  movedShape,
  namedDraft,
  newDraft,
  shapePlaces,
  withPreset,
  withShape,
  zoneOf as zoneBody,
} from './zone-draft.ts';
import { ZONE_PRESETS, type ZonePresetName } from './zone-presets.ts';

test('the text of a shape is read as the same shape', () => {
  for (const [type, text] of [
    ['Polygon', '47.4, 8.5\n47.4, 8.6\n47.5, 8.6'],
    ['Circle', '47.458, 8.548'],
    ['Corridor', '47.4, 8.5\n47.5, 8.6'],
  ] as const) {
    const typed = typedShape({ type, text, metres: 800 });
    if (!typed.ok) throw new Error('not read');
    expect(shapePlaces(typed.shape)).toBe(text);
    expect(typedShape({ type, text: shapePlaces(typed.shape), metres: 800 })).toEqual(typed);
  }
});

const DRONE_PRESETS = (Object.keys(ZONE_PRESETS) as ZonePresetName[]).filter((name) => name !== 'traffic');

/** Alarms of a zone that was not changed after its preset was chosen, by what flies through its middle for a minute. */
function alarmsOf(preset: ZonePresetName, change: Parameters<typeof seen>[2]) {
  const { vertical, rules } = newDraft(preset);
  const evaluator = new Evaluator(zoneOf({ vertical, rules: rules.map((rule) => ({ ...rule, id: preset })) }));
  for (let atS = 0; atS <= 60; atS += 5) evaluator.answer([seen(atS, 100, change)]);
  return evaluator.transitions;
}

test.each(DRONE_PRESETS)(
  'a zone of the preset %s has alarms for low drones, and for nothing that flies over',
  (preset) => {
    const jet = { kind: 'aircraft', altitudeM: 11_000, heightAglM: 10_600 } as const;
    expect(alarmsOf(preset, jet)).toEqual([]);
    expect(alarmsOf(preset, { kind: 'aircraft', altitudeM: 500 })).toEqual([]);
    expect(alarmsOf(preset, { heightAglM: 400 })).toEqual([]);
    expect(alarmsOf(preset, { heightAglM: 80 })).toMatchObject([{ type: 'opened', heightUnknown: false }]);
    expect(alarmsOf(preset, { heightAglM: -4 }), 'an estimate below the ground').toHaveLength(1);
    expect(alarmsOf(preset, {})).toMatchObject([{ type: 'opened', heightUnknown: true }]);
  },
);

test('a preset sets rule, heights and shape, and keeps what is drawn and written', () => {
  const named = { ...newDraft(), name: 'North gate' };
  expect(withPreset(named, 'runway')).toMatchObject({
    name: 'North gate',
    shapeType: 'Corridor',
    halfWidthM: 1000,
    rules: [{ kind: 'entered', layers: ['rid'], hold_s: 5 }],
  });
  const drawn = withShape(named, { type: 'Circle', centre: [8.5, 47.4], radius_m: 300 });
  expect(withPreset(drawn, 'runway')).toMatchObject({ shape: drawn.shape, shapeType: 'Circle' });
  expect(withPreset(drawn, 'traffic')).toMatchObject({ vertical: null, rules: [{ layers: ['rid', 'adsb'] }] });
});

test('a new zone without a name has that of its preset, with the first number that is free', () => {
  const event = newDraft('event');
  expect(namedDraft(event, ['Gate']).name).toBe('Event');
  expect(namedDraft(event, ['Event', 'Event 2', 'Event 4']).name).toBe('Event 3');
  expect(namedDraft({ ...event, name: 'Gate' }, ['Gate']).name).toBe('Gate');
});

test('a zone keeps the runway that it was made of, until its shape lies elsewhere', () => {
  const line = [
    [8.5, 47.4],
    [8.6, 47.3],
  ] as [number, number][];
  const landmark = { name: '14/32', line };
  const made = withShape(newDraft(), { type: 'Corridor', line, half_width_m: 500 }, landmark);
  expect(zoneBody(made)?.landmark).toEqual(landmark);
  const wider = withShape(made, { type: 'Circle', centre: [8.55, 47.35], radius_m: 20_000 });
  expect(zoneBody(wider)?.landmark).toEqual(landmark);
  const elsewhere = withShape(wider, { type: 'Circle', centre: [7, 46], radius_m: 2000 });
  expect(zoneBody(elsewhere)?.landmark).toBeNull();
});

test('a moved shape keeps its form, its holes and its width, across 180° too, and stops before a pole', () => {
  const ring: [number, number][] = [
    [179.9, 47],
    [179.95, 47],
    [179.95, 47.1],
    [179.9, 47],
  ];
  expect(movedShape({ type: 'Polygon', coordinates: [ring, ring] }, 0.2, 1)).toEqual({
    type: 'Polygon',
    coordinates: Array(2).fill([
      [-179.9, 48],
      [-179.85, 48],
      [-179.85, 48.1],
      [-179.9, 48],
    ]),
  });
  expect(movedShape({ type: 'Circle', centre: [8, 47], radius_m: 500 }, 1, 100)).toEqual({
    type: 'Circle',
    centre: [9, 89],
    radius_m: 500,
  });
  const line: [number, number][] = [
    [8, 47],
    [8.1, 47],
  ];
  expect(movedShape({ type: 'Corridor', line, half_width_m: 300 }, -1, -1)).toEqual({
    type: 'Corridor',
    line: [
      [7, 46],
      [7.1, 46],
    ],
    half_width_m: 300,
  });
});
