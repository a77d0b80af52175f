import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AlarmSound } from '../alarms/alarm-sound.ts';
import { Drawing } from '../area/drawing-state.ts';
import { Measuring } from '../measuring/measuring.ts';
import { measureToggled, startMeasuring, startRings } from '../measuring/measuring-state.ts';
import { ZoneDesk } from '../zones/zone-desk.ts';
import { newDraft } from '../zones/zone-draft.ts';
import type { Lookout } from './lookout.ts';
import { oneToolAtATime } from './one-tool.ts';

function page() {
  const drawing = new Drawing();
  const display = { summary: () => ({ isPast: false, shownAt: undefined }), subscribe: () => () => undefined };
  const measuring = new Measuring(display as unknown as Lookout['display']);
  const zones = new ZoneDesk({} as AlarmSound);
  zones.startDraft(newDraft());
  oneToolAtATime({ drawing, measuring, zones });
  const starts = {
    circle: () => drawing.start('circle'),
    change: () => drawing.start('change'),
    measure: () => measuring.change(measureToggled),
    from: () => measuring.change((state) => startMeasuring(state, { place: { lon: 8, lat: 47 } })),
    rings: () => measuring.change(startRings),
    zone: () => zones.change((draft) => ({ ...draft, isDrawing: true })),
  };
  const on = () => [
    ...(drawing.get().tool === undefined ? [] : ['area']),
    ...(measuring.state.get().tool === undefined ? [] : ['measuring']),
    ...(zones.draft.get()?.isDrawing ? ['zone'] : []),
  ];
  return { starts, on, zones };
}

test('at most one tool takes the presses on the map: the one that was started last', () => {
  const names = ['circle', 'change', 'measure', 'from', 'rings', 'zone'] as const;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names)), (pressed) => {
      const { starts, on } = page();
      for (const name of pressed) {
        starts[name]();
        expect(on().length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a zone whose drawing another tool ends keeps its form', () => {
  const { starts, on, zones } = page();
  starts.zone();
  expect(on()).toEqual(['zone']);
  starts.circle();
  expect(on()).toEqual(['area']);
  starts.measure();
  expect(on()).toEqual(['measuring']);
  expect(zones.draft.get()).toMatchObject({ isDrawing: false });
});
