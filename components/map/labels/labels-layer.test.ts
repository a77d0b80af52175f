import { expect, test } from 'vitest';
import {
  GLYPH_TEXELS,
  type GlyphMetrics,
  IS_PLATE,
  LabelRecords,
  OF_BADGE,
  OFFSET_STEPS_PER_PX,
  type PlacedLabel,
} from './labels-layer.ts';
import { LABEL_SIDES } from './place-labels.ts';

const ADVANCE_PX = 6;
const metrics: GlyphMetrics = {
  cellTexels: 16,
  padPx: 2,
  linePx: 12,
  glyph: () => ({ column: 0, row: 0, width: 10, advancePx: ADVANCE_PX }),
};
const label: PlacedLabel = {
  mercatorX: 0.5,
  mercatorY: 0.5,
  halfPx: 10,
  side: 0,
  lines: ['07A7A', '62 m'],
  opacity: 255,
  emergency: false,
  isBadge: false,
};

function quads(labels: readonly PlacedLabel[]) {
  const records = new LabelRecords();
  records.pack(labels, metrics);
  return Array.from({ length: records.count }, (_, index) => {
    const words = records.words.subarray(index * 4 * GLYPH_TEXELS);
    const [offset = 0, flags = 0, size = 0] = [words[4], words[6], words[7]];
    return { x: ((offset << 16) >> 16) / OFFSET_STEPS_PER_PX, y: (offset >> 16) / OFFSET_STEPS_PER_PX, flags, size };
  });
}

test.each(LABEL_SIDES.map((name, side) => ({ name, side })))(
  'the text of a label lies on its plate, $name of its mark',
  ({ side }) => {
    const [plate, ...text] = quads([{ ...label, side }]);
    if (!plate) throw new Error('no plate');
    expect(plate.flags & IS_PLATE).not.toBe(0);
    const [width, height] = [(plate.size & 0xffff) / OFFSET_STEPS_PER_PX, (plate.size >> 16) / OFFSET_STEPS_PER_PX];
    expect(text).toHaveLength('07A7A62m'.length);
    for (const { x, y, flags } of text) {
      expect(flags & IS_PLATE).toBe(0);
      expect(x + metrics.padPx).toBeGreaterThan(plate.x);
      expect(x + metrics.padPx + ADVANCE_PX).toBeLessThan(plate.x + width);
      expect(y + metrics.padPx).toBeGreaterThanOrEqual(plate.y);
      expect(y + metrics.padPx + metrics.linePx).toBeLessThanOrEqual(plate.y + height);
    }
  },
);

test('a badge says so in its plate and its text', () => {
  for (const { flags } of quads([{ ...label, isBadge: true }])) expect(flags & OF_BADGE).not.toBe(0);
  for (const { flags } of quads([label])) expect(flags & OF_BADGE).toBe(0);
});
