import { describe, expect, it } from 'vitest';
import { coarser, histogramPath } from './timeline.tsx';

describe('histogramPath', () => {
  it('draws nothing for empty bins', () => {
    expect(histogramPath(new Uint32Array(3))).toBe('');
    expect(histogramPath(Uint32Array.of(0, 4)).match(/M/g)).toHaveLength(1);
  });

  it('makes the fullest bin as high as the box, and keeps a bin of one visible next to thousands', () => {
    expect(histogramPath(Uint32Array.of(1, 10_000))).toBe('M0 1V0.880h0.8V1ZM1 1V0.000h0.8V1Z');
  });
});

describe('coarser', () => {
  it('loses no observation', () => {
    expect([...coarser(Uint32Array.of(1, 2, 3, 4, 5), 2)]).toEqual([3, 7, 5]);
    expect([...coarser(Uint32Array.of(1, 2), 1)]).toEqual([1, 2]);
  });
});
