/** The size of a map's canvas in CSS pixels. */
export interface CanvasSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Reads the size of the canvas that is drawn to, whenever its drawing buffer has another size: in every frame it would force layout, and the
 * map's event comes before the layout has settled.
 */
export function makeCanvasSize(): (gl: WebGL2RenderingContext) => CanvasSize {
  let bufferWidth = 0;
  let bufferHeight = 0;
  let size: CanvasSize = { widthPx: 1, heightPx: 1 };
  return (gl) => {
    if (gl.drawingBufferWidth === bufferWidth && gl.drawingBufferHeight === bufferHeight) return size;
    bufferWidth = gl.drawingBufferWidth;
    bufferHeight = gl.drawingBufferHeight;
    const { clientWidth, clientHeight } = gl.canvas as HTMLCanvasElement;
    size = { widthPx: Math.max(1, clientWidth), heightPx: Math.max(1, clientHeight) };
    return size;
  };
}
