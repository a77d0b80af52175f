import {
  LINE_BYTES,
  LINE_FLOATS,
  LINE_LOOK_OFFSET_BYTES,
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
  readonly lightRgb: readonly [number, number, number];
  readonly shape: TrailLine['shape'];
}

export function drawnLines(lines: TrailLines): DrawnLine[] {
  const { buffer } = lines.words();
  const floats = new Float32Array(buffer);
  const bytes = new Uint8Array(buffer);
  return Array.from({ length: lines.count }, (_, line) => {
    const float = (offset: number) => floats[line * LINE_FLOATS + offset] as number;
    const byteAt = (offset: number) => bytes[line * LINE_BYTES + LINE_LOOK_OFFSET_BYTES + offset] as number;
    const [shape] = Object.entries(TRAIL_SHAPES).find(([, code]) => code === byteAt(3)) as [TrailLine['shape'], number];
    return {
      from: { x: float(0) + float(2), y: float(1) + float(3) },
      to: { x: float(4) + float(6), y: float(5) + float(7) },
      fromMs: lines.baseMs + float(8),
      untilMs: lines.baseMs + float(9),
      rgb: [byteAt(0), byteAt(1), byteAt(2)],
      lightRgb: [byteAt(4), byteAt(5), byteAt(6)],
      shape,
    };
  });
}
