import type { Map as MapLibreMap } from 'maplibre-gl';
import {
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawModeUndoRedo,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';
import { roundedShape, type ShapeType } from '#lib/client/zones/zone-draft.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { ZONE_CORNERS_MAX } from '#lib/zones/zone-limits.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { drawnShape, editableFeature, MODE_OF } from './terra-shapes.ts';

/** Tokens focus, and background or surface. */
const colours = {
  dark: { line: '#8cc8ff', inside: '#0b1118' },
  light: { line: '#0a66c2', inside: '#ffffff' },
} as const;

/** A finger covers about 40 pixels. */
const CLOSE_PX = 24;

export interface TerraOptions {
  readonly theme: BasemapTheme;
  readonly halfWidthM: () => number;
  readonly onSketch: (shape: ZoneShape) => void;
  /** Also while a corner is dragged. */
  readonly onShape: (shape: ZoneShape) => void;
}

export class TerraDrawing {
  readonly #draw: TerraDraw;
  readonly #map: MapLibreMap;
  readonly #options: TerraOptions;
  #type: ShapeType = 'Polygon';
  /** The shape whose handles are shown. */
  #shape: ZoneShape | undefined;
  /** Its geometry as it was given to terra-draw, as JSON. */
  #given: string | undefined;

  constructor(map: MapLibreMap, options: TerraOptions) {
    this.#map = map;
    this.#options = options;
    const colour = colours[options.theme];
    const adapter = new TerraDrawMapLibreGLAdapter({ map, prefixId: 'zone-terra', coordinatePrecision: 9 });
    this.#draw = new TerraDraw({
      adapter,
      modes: modesIn(colour),
      undoRedo: { modeLevel: new TerraDrawModeUndoRedo() },
    });
    this.#draw.start();
    this.#draw.on('change', (_, type, context) => {
      if (context && 'origin' in context && context.origin === 'api') return;
      if (type === 'update' || type === 'create') this.#report(false);
    });
    this.#draw.on('finish', () => this.#report(true));
  }

  draw(type: ShapeType): void {
    this.#type = type;
    this.#shape = undefined;
    this.#draw.clear();
    this.#draw.setMode(MODE_OF[type]);
  }

  /** `undefined` hides the handles. */
  edit(shape: ZoneShape | undefined): void {
    if (shape === this.#shape && this.#draw.getMode() === 'select') return;
    this.#shape = shape;
    this.#draw.setMode('select');
    this.#draw.clear();
    const feature = shape && editableFeature(shape);
    if (!shape || !feature) return;
    this.#type = shape.type;
    this.#given = JSON.stringify(feature.geometry);
    const [added] = this.#draw.addFeatures([feature]);
    if (added?.valid && added.id !== undefined) this.#draw.selectFeature(added.id);
  }

  undo(): void {
    this.#draw.undo();
  }

  finish(): void {
    // terra-draw finishes by this key alone.
    this.#map.getCanvas().dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter' }));
  }

  stop(): void {
    this.#draw.stop();
  }

  #report(isFinished: boolean): void {
    const modes: readonly unknown[] = Object.values(MODE_OF);
    const feature = this.#draw.getSnapshot().find(({ geometry, properties }) => {
      return geometry.type !== 'Point' && modes.includes(properties.mode);
    });
    const drawn = feature && drawnShape(this.#type, feature, this.#options.halfWidthM());
    if (!drawn) return;
    const isEdited = this.#draw.getMode() === 'select';
    // Selecting reports too, and a circle read from its corners is not the typed one.
    if (isEdited && JSON.stringify(feature.geometry) === this.#given) return;
    this.#given = undefined;
    const shape = roundedShape(drawn);
    if (isEdited) this.#shape = shape;
    if (isEdited || isFinished) this.#options.onShape(shape);
    else this.#options.onSketch(shape);
  }
}

type Colour = (typeof colours)[BasemapTheme];

function modesIn({ line, inside }: Colour) {
  // The layers of the draft draw it.
  const hidden = { fillOpacity: 0, outlineOpacity: 0 };
  const closing = {
    closingPointColor: inside,
    closingPointWidth: 6,
    closingPointOutlineColor: line,
    closingPointOutlineWidth: 2,
  };
  const corners = {
    coordinatePointColor: inside,
    coordinatePointWidth: 4,
    coordinatePointOutlineColor: line,
    coordinatePointOutlineWidth: 2,
  };
  const keyEvents = { cancel: null, finish: 'Enter' };
  const editable = {
    feature: {
      draggable: false,
      coordinates: { midpoints: { draggable: true }, draggable: true, deletable: true },
    },
  };
  return [
    new TerraDrawPolygonMode({
      keyEvents,
      pointerDistance: CLOSE_PX,
      showCoordinatePoints: true,
      styles: { ...hidden, ...closing, ...corners, outlineColor: line, outlineWidth: 2, outlineOpacity: 1 },
    }),
    new TerraDrawLineStringMode({
      keyEvents,
      pointerDistance: CLOSE_PX,
      showCoordinatePoints: true,
      finishOnNthCoordinate: ZONE_CORNERS_MAX,
      styles: { ...closing, ...corners, lineStringColor: line, lineStringWidth: 2 },
    }),
    new TerraDrawCircleMode({
      keyEvents,
      drawInteraction: 'click-move-or-drag',
      styles: { ...hidden, outlineColor: line, outlineWidth: 2, outlineOpacity: 1 },
    }),
    new TerraDrawSelectMode({
      // terra-draw drops each n-th move, but the last one places the corner.
      dragEventThrottle: Number.MAX_SAFE_INTEGER,
      allowManualDeselection: false,
      allowManualSelection: false,
      pointerDistance: CLOSE_PX,
      keyEvents: null,
      flags: {
        polygon: editable,
        linestring: editable,
        circle: { feature: { draggable: true, coordinates: { resizable: 'center-fixed' } } },
      },
      styles: {
        selectedPolygonFillOpacity: 0,
        selectedPolygonOutlineOpacity: 0,
        selectedLineStringColor: line,
        selectedLineStringWidth: 1.5,
        selectionPointColor: inside,
        selectionPointWidth: 6,
        selectionPointOutlineColor: line,
        selectionPointOutlineWidth: 2,
        midPointColor: inside,
        midPointWidth: 3.5,
        midPointOutlineColor: line,
        midPointOutlineWidth: 1,
      },
    }),
  ];
}
