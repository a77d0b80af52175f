import { describe, expect, it } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import { statesNow } from './marks-legend.tsx';

const drawn = (...marks: readonly { style: number; opacity?: number; heading?: number }[]) =>
  statesNow({
    count: marks.length,
    style: Uint16Array.from(marks, ({ style }) => style),
    colour: Uint8Array.from(marks.flatMap(({ opacity = 255 }) => [0, 0, 0, opacity])),
    headingDeg: Float32Array.from(marks, ({ heading = 0 }) => heading),
  });

describe('statesNow', () => {
  it('has what applies to any drawn mark, and nothing else', () => {
    expect(drawn()).toEqual(new Set());
    expect(drawn({ style: 0 })).toEqual(new Set(['aircraft']));
    expect(
      drawn(
        { style: FLAG_DRONE | FLAG_SIMULATED, opacity: 200 },
        { style: FLAG_DRONE | MARK_EMERGENCY, heading: Number.NaN },
      ),
    ).toEqual(new Set(['drone', 'simulated', 'ageing', 'emergency', 'heading-unknown']));
  });

  it('explains stripes only where there are any', () => {
    expect(drawn({ style: FLAG_SIMULATED })).toEqual(new Set(['aircraft']));
    expect(drawn({ style: FLAG_SIMULATED }, { style: 0 })).toContain('simulated');
  });

  it('does not call an expired mark ageing', () => {
    expect(drawn({ style: MARK_EXPIRED, opacity: 115 })).toEqual(new Set(['aircraft', 'expired']));
  });
});
