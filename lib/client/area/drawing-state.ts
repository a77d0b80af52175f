import { type Area, areaProblem, type Circle, CORNERS_MAX, type Polygon, polygonOf } from '#lib/geo/area.ts';
import { roundedArea } from '#lib/geo/area-parameter.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { OwnedValue } from '../value-store.ts';

/**
 * Drawing an area of the filter, in pure steps from state to state. A finished area is valid, or has a sentence that says
 * why it is not.
 */

/** Corridors come from zones: they are not drawn here. */
export type AreaTool = 'circle' | 'polygon';

/** An area whose handles can be dragged. */
export function isChangeable(area: Area): area is Circle | Polygon {
  return area.kind === 'circle' || (area.kind === 'polygon' && area.holes === undefined);
}

interface Drawn<Tool extends AreaTool, Corners extends readonly LonLat[]> {
  readonly tool: Tool;
  readonly corners: Corners;
  readonly pointer: LonLat | undefined;
  readonly changed: undefined;
  readonly problem: string | undefined;
}

interface Changed {
  readonly tool: 'change';
  readonly corners: readonly [];
  readonly pointer: undefined;
  readonly changed: Area | undefined;
  readonly problem: string | undefined;
}

/** Presses on the map draw with the tool, or drag handles of the finished area; without a tool, they select. */
export type DrawingState =
  | typeof NOTHING_DRAWN
  | Drawn<'circle', readonly [] | readonly [LonLat]>
  | Drawn<'polygon', readonly LonLat[]>
  | Changed;

export const NOTHING_DRAWN = {
  tool: undefined,
  corners: [],
  pointer: undefined,
  changed: undefined,
  problem: undefined,
} as const;

export function startDrawing(tool: AreaTool | 'change'): DrawingState {
  return { ...NOTHING_DRAWN, tool };
}

/** The drawing of an area on the map: it alone writes its state. */
export class Drawing extends OwnedValue<DrawingState> {
  #take: ((area: Area | undefined) => void) | undefined;

  constructor() {
    super(NOTHING_DRAWN);
  }

  start(tool: AreaTool | 'change'): void {
    this.write(startDrawing(tool));
  }

  /**
   * Draws an area that does not become the filter's.
   * @param take is called once, with `undefined` where the operator gives it up
   */
  drawFor(tool: AreaTool, take: (area: Area | undefined) => void): void {
    this.#take = take;
    this.start(tool);
  }

  /** Whether the area that is drawn becomes the filter's. */
  get isForFilter(): boolean {
    return this.#take === undefined;
  }

  /** @param area the finished one; default: drawing is given up */
  end(area?: Area): void {
    const take = this.#take;
    this.#take = undefined;
    this.write(NOTHING_DRAWN);
    take?.(area);
  }

  /** Ends drawing with this tool, or starts it. */
  toggle(tool: AreaTool | 'change'): void {
    if (this.get().tool === tool) this.end();
    else this.start(tool);
  }

  change(by: (state: DrawingState) => DrawingState): void {
    this.write(by(this.get()));
  }
}

/** The result may be no valid area yet. */
export function draftOf({ tool, corners, pointer, changed }: DrawingState): Area | undefined {
  if (changed) return changed;
  const [centre] = corners;
  if (tool === 'circle') {
    return centre && pointer && { kind: 'circle', centre, radiusM: distanceM(centre, pointer) };
  }
  const drawn = pointer ? [...corners, pointer] : corners;
  return tool === 'polygon' && drawn.length > 1 ? polygonOf(drawn) : undefined;
}

export function withCorner(state: DrawingState, corner: LonLat): DrawingState {
  const last = state.corners.at(-1);
  if (last?.lon === corner.lon && last.lat === corner.lat) return state;
  if (state.tool === 'circle') return last ? state : { ...state, corners: [corner], problem: undefined };
  if (state.tool !== 'polygon' || state.corners.length >= CORNERS_MAX) return state;
  return { ...state, corners: [...state.corners, corner], problem: undefined };
}

export function withoutLastCorner(state: DrawingState): DrawingState {
  if (state.corners.length === 0) return state;
  if (state.tool !== 'polygon') return startDrawing('circle');
  return { ...state, corners: state.corners.slice(0, -1), pointer: undefined, problem: undefined };
}

/** Without a corner there is nothing that follows the pointer. */
export function withPointer(state: DrawingState, pointer: LonLat | undefined): DrawingState {
  if (state.tool !== 'circle' && state.tool !== 'polygon') return state;
  return state.corners.length === 0 ? state : { ...state, pointer };
}

/** The finished area, while one of its handles is dragged. */
export function withChanged(state: DrawingState, changed: Area): DrawingState {
  return state.tool === 'change' ? { ...state, changed, problem: undefined } : state;
}

/** Drops what follows the pointer, and says why it is no area. */
export function withProblem(state: DrawingState, problem: string): DrawingState {
  return state.tool === undefined ? state : { ...state, pointer: undefined, changed: undefined, problem };
}

export type Finished =
  | { readonly area: Area; readonly problem?: undefined }
  | { readonly area?: undefined; readonly problem: string };

export function finishedArea(area: Area | undefined): Finished {
  if (!area) return { problem: 'A polygon has at least three corners.' };
  const rounded = roundedArea(area);
  const problem = areaProblem(rounded);
  return problem === undefined ? { area: rounded } : { problem };
}

export interface Handle {
  readonly kind: 'corner' | 'between' | 'centre' | 'edge';
  readonly index: number;
  readonly at: LonLat;
}

/** @param east of a circle: the place on its edge that changes the radius */
export function handlesOf(area: Area, east: (area: Circle) => LonLat): readonly Handle[] {
  if (!isChangeable(area)) return [];
  if (area.kind === 'circle') {
    return [
      { kind: 'edge', index: 0, at: east(area) },
      { kind: 'centre', index: 0, at: area.centre },
    ];
  }
  const { corners } = area;
  const between = corners.map((from, index): Handle => {
    const to = corners[(index + 1) % corners.length] as LonLat;
    return { kind: 'between', index, at: { lon: (from.lon + to.lon) / 2, lat: (from.lat + to.lat) / 2 } };
  });
  const atCorners = corners.map((at, index): Handle => ({ kind: 'corner', index, at }));
  return corners.length < CORNERS_MAX ? [...atCorners, ...between] : atCorners;
}

export function withHandleAt(area: Area, { kind, index }: Handle, place: LonLat): Area {
  if (!isChangeable(area)) return area;
  if (area.kind === 'circle') {
    return kind === 'centre' ? { ...area, centre: place } : { ...area, radiusM: distanceM(area.centre, place) };
  }
  const corners = [...area.corners];
  corners.splice(kind === 'between' ? index + 1 : index, kind === 'between' ? 0 : 1, place);
  return polygonOf(corners);
}
