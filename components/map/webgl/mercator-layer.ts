import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { QuadView } from './quads.ts';
import { visibleWorldCopies } from './world-copies.ts';

/** The camera of one frame. Its matrix is reused for the next. */
interface MercatorFrame extends QuadView {
  readonly devicePixelRatio: number;
}

export interface MercatorLayerOptions<Renderer extends { dispose(): void }> {
  readonly id: string;
  /** Called in the first frame that has something to draw. @throws Error if the GPU refuses the shaders */
  readonly makeRenderer: (gl: WebGL2RenderingContext) => Renderer;
  /** Called once if the renderer cannot be made: nothing is drawn from then on. */
  readonly onFailure: (error: Error) => void;
  readonly isEmpty: () => boolean;
  /** How far beyond the view the layer draws, as a fraction of half the view: what lies across 180° is drawn with that world copy. */
  readonly copiesMargin: (map: MapLibreMap, widthPx: number, heightPx: number) => number;
  /** @param isNew whether the renderer is new, and has nothing uploaded */
  readonly draw: (renderer: Renderer, frame: MercatorFrame, map: MapLibreMap, isNew: boolean) => void;
}

export interface MercatorLayer {
  readonly layer: CustomLayerInterface & { render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void };
  /** `undefined` while the layer is on no map. */
  readonly map: () => MapLibreMap | undefined;
  readonly repaint: () => void;
}

/**
 * A custom layer of MapLibre for the Mercator projection only: on a globe nothing is drawn. GL objects live as long as the layer is on a map
 * and its context lasts.
 */
export function makeMercatorLayer<Renderer extends { dispose(): void }>(
  options: MercatorLayerOptions<Renderer>,
): MercatorLayer {
  const matrix = new Float64Array(16);
  const sizeOf = makeCanvasSize();
  let map: MapLibreMap | undefined;
  let renderer: Renderer | undefined;
  let hasFailed = false;

  function tryRenderer(gl: WebGL2RenderingContext): Renderer | undefined {
    try {
      return options.makeRenderer(gl);
    } catch (error) {
      hasFailed = true;
      options.onFailure(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  function render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    const { widthPx, heightPx } = sizeOf(gl);
    if (!map || hasFailed || input.shaderData.variantName !== 'mercator' || options.isEmpty()) return;
    const isNew = renderer === undefined;
    renderer ??= tryRenderer(gl);
    if (!renderer) return;
    matrix.set(input.defaultProjectionData.mainMatrix as ArrayLike<number>);
    const { lng, lat } = map.getCenter();
    const frame = {
      matrix,
      copies: map.getRenderWorldCopies()
        ? visibleWorldCopies(matrix, options.copiesMargin(map, widthPx, heightPx))
        : { first: 0, last: 0 },
      originX: mercatorX(lng),
      originY: mercatorY(lat),
      widthPx,
      heightPx,
      devicePixelRatio: gl.drawingBufferWidth / widthPx,
    };
    // Layers lie in the order of the style; without a graphics card a test that every pixel passes costs a sixth of a mark.
    gl.disable(gl.DEPTH_TEST);
    options.draw(renderer, frame, map, isNew);
  }

  return {
    layer: {
      id: options.id,
      type: 'custom',
      renderingMode: '2d',
      onAdd(addedTo) {
        map = addedTo;
        // GL objects are created in a frame: MapLibre resets its cached GL state only after `render`.
        renderer = undefined;
        hasFailed = false;
      },
      onRemove() {
        renderer?.dispose();
        renderer = undefined;
        map = undefined;
      },
      render,
    },
    map: () => map,
    repaint: () => map?.triggerRepaint(),
  };
}

/** The size of a map's canvas in CSS pixels. */
interface CanvasSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Reads the canvas's size only when its drawing buffer has another size. Reading it in every frame would force layout, and the
 * map's event is fired before the layout has settled.
 */
function makeCanvasSize(): (gl: WebGL2RenderingContext) => CanvasSize {
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
