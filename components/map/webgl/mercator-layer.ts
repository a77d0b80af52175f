import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { QuadView } from './quads.ts';
import { visibleWorldCopies } from './world-copies.ts';

interface MercatorFrame extends QuadView {
  readonly devicePixelRatio: number;
}

interface MercatorLayerOptions<Renderer extends { dispose(): void }> {
  readonly id: string;
  /** @throws Error if the GPU refuses the shaders */
  readonly makeRenderer: (gl: WebGL2RenderingContext) => Renderer;
  readonly onFailure: (error: Error) => void;
  readonly isEmpty: () => boolean;
  /** How far beyond the view quads reach, as a fraction of half the view: they are drawn across 180°, too. */
  readonly copiesMargin: (map: MapLibreMap, widthPx: number, heightPx: number) => number;
  /** @param isNew whether the renderer has nothing uploaded yet */
  readonly draw: (renderer: Renderer, frame: MercatorFrame, map: MapLibreMap, isNew: boolean) => void;
}

interface MercatorLayer {
  readonly layer: CustomLayerInterface & { render(gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void };
  /** `undefined` while the layer is on no map. */
  readonly map: () => MapLibreMap | undefined;
  readonly repaint: () => void;
}

/**
 * A custom layer of MapLibre, with what its renderer needs of a frame. It draws nothing on a globe. GL objects live as
 * long as the layer is on a map and its context lasts. A renderer that cannot be made is reported once and not tried
 * again.
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
    // Layers lie in style order; without a graphics card a depth test costs a sixth of a mark.
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

interface CanvasSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Reads the canvas only when its buffer has changed: each read forces layout, and the map's event precedes it. */
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

/**
 * Adds the layer again after every style change: MapLibre can't serialise custom layers, and also drops them with a
 * lost WebGL context (Map._contextLost of 6.17).
 * @param beforeId the layer above it, if the style has it
 * @returns removes the layer for good
 */
export function restoreCustomLayer(map: MapLibreMap, layer: CustomLayerInterface, beforeId?: string): () => void {
  const add = () => {
    if (map.getLayer(layer.id) !== undefined) return;
    map.addLayer(layer, beforeId !== undefined && map.getLayer(beforeId) !== undefined ? beforeId : undefined);
  };
  map.on('style.load', add);
  // isStyleLoaded() also waits for tiles; a readable style is enough to add a layer.
  if (map.getStyle() !== undefined) add();
  return () => {
    map.off('style.load', add);
    // While a context is lost there is no style, and so no layer.
    if (map.getLayer(layer.id) !== undefined) map.removeLayer(layer.id);
  };
}

/** A sentence for operators. @param what of the map: "positions" */
export function graphicsProblem(what: string, error: Error): string {
  return `The map cannot draw ${what} on this machine’s graphics: ${error.message}`;
}
