import {
  LINE_BYTES,
  LINE_LOOK_OFFSET_BYTES,
  LINE_WORDS,
  TRAIL_SHAPES,
  type TrailLine,
  type TrailLines,
} from './trail-lines.ts';

export interface DrawnLine {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
  readonly fromMs: number;
  readonly untilMs: number;
  readonly rgb: readonly [number, number, number];
  readonly shape: TrailLine['shape'];
}

/** The lines as the GPU reads them from the buffer, in Mercator and epoch ms. */
export function drawnLines(lines: TrailLines): DrawnLine[] {
  const words = lines.words();
  const bytes = new Uint8Array(words.buffer);
  return Array.from({ length: lines.count }, (_, line) => {
    const word = (offset: number) => words[line * LINE_WORDS + offset] as number;
    const look = (offset: number) => bytes[line * LINE_BYTES + LINE_LOOK_OFFSET_BYTES + offset] as number;
    const [shape] = Object.entries(TRAIL_SHAPES).find(([, code]) => code === look(3)) as [TrailLine['shape'], number];
    return {
      from: { x: word(0) + word(2), y: word(1) + word(3) },
      to: { x: word(4) + word(6), y: word(5) + word(7) },
      fromMs: lines.baseMs + word(8),
      untilMs: lines.baseMs + word(9),
      rgb: [look(0), look(1), look(2)],
      shape,
    };
  });
}
