import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Anchor,
  ended,
  MAX_POINTS,
  type MeasuringState,
  measureToggled,
  NOTHING_MEASURED,
  placed,
  ringsAround,
  startMeasuring,
  startRings,
  withoutLast,
} from './measuring-state.ts';

const anchor: fc.Arbitrary<Anchor> = fc.oneof(
  fc
    .record({ lon: fc.integer({ min: -180, max: 179 }), lat: fc.integer({ min: -90, max: 90 }) })
    .map((place) => ({ place })),
  fc.constantFrom('AAA', 'BBB').map((ref) => ({ ref })),
);

type Step = (state: MeasuringState) => MeasuringState;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: anchor.map(
      (at): Step =>
        (state) =>
          placed(state, at),
    ),
  },
  fc.option(anchor, { nil: undefined }).map(
    (first): Step =>
      (state) =>
        startMeasuring(state, first),
  ),
  anchor.map(
    (at): Step =>
      (state) =>
        ringsAround(state, at),
  ),
  fc.constantFrom<Step>(startRings, withoutLast, ended, measureToggled),
);

describe('whatever is pressed and clicked', () => {
  test('no point follows itself, a finished measurement has a leg, and without a tool nothing is placed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), anchor, (steps, next) => {
        const state = steps.reduce((so, each) => each(so), NOTHING_MEASURED);
        const texts = state.points.map((point) => JSON.stringify(point));
        expect(texts.some((text, at) => at > 0 && text === texts[at - 1])).toBe(false);
        if (state.tool === undefined) {
          expect(state.points.length).not.toBe(1);
          expect(placed(state, next)).toBe(state);
          expect(withoutLast(state)).toBe(state);
        }
        expect(ended(ended(state))).toEqual(ended(state));
        expect(state.points.length).toBeLessThanOrEqual(MAX_POINTS);
      }),
    );
  });
});

describe('measuring', () => {
  const zurich = { place: { lon: 8.5, lat: 47.4 } };
  const track = { ref: 'AAA' };
  const through = (...steps: Step[]) => steps.reduce((so, each) => each(so), NOTHING_MEASURED);
  const put =
    (at: Anchor): Step =>
    (state) =>
      placed(state, at);

  test('clicks add points, Backspace takes the last one back, Esc ends and keeps the legs', () => {
    const state = through(measureToggled, put(zurich), put(track), put(zurich), withoutLast, ended);
    expect(state).toEqual({ ...NOTHING_MEASURED, points: [zurich, track] });
  });

  test('a double click adds one point', () => {
    expect(through(measureToggled, put(zurich), put(zurich), put(track), put(track)).points).toEqual([zurich, track]);
  });

  test('a new measurement begins without the old one', () => {
    expect(through(measureToggled, put(zurich), put(track), measureToggled, measureToggled)).toMatchObject({
      tool: 'measure',
      points: [],
    });
  });

  test('range rings are put around one place and one track; the last of each counts', () => {
    const state = through(startRings, put(zurich), startRings, put(track), startRings, put({ ref: 'BBB' }));
    expect(state).toMatchObject({ tool: undefined, ringPlace: zurich.place, ringRef: 'BBB' });
    expect(put(track)(state)).toBe(state);
  });
});
