import type { Zone } from '#lib/api/watching/zones.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';

export interface DrawnZone {
  readonly part: 'ground' | 'name';
  /** Open alarms: none, all acknowledged, or one waits. */
  readonly look: 'calm' | 'acknowledged' | 'lit';
  readonly isWatched: boolean;
  readonly label: string;
}

export interface ZoneLook extends Pick<DrawnZone, 'look' | 'isWatched'> {
  /** Empty for none. */
  readonly note: string;
}

type Features<P> = GeoJSON.FeatureCollection<GeoJSON.Geometry, P>;

export function zoneFeatures(
  zones: readonly Pick<Zone, 'id' | 'name' | 'shape'>[],
  lookOf: (id: string) => ZoneLook,
): Features<DrawnZone> {
  const features = zones.flatMap(({ id, name, shape }): Features<DrawnZone>['features'] => {
    const { look, isWatched, note } = lookOf(id);
    const drawn = { look, isWatched, label: note === '' ? name : `${name}\n${note}` };
    const coordinates = outlineOf(shape);
    const [north] = coordinates.flat(2).sort(([, a], [, b]) => b - a);
    return [
      { type: 'Feature', properties: { ...drawn, part: 'ground' }, geometry: { type: 'MultiPolygon', coordinates } },
      ...(north
        ? [
            {
              type: 'Feature' as const,
              properties: { ...drawn, part: 'name' as const },
              geometry: { type: 'Point' as const, coordinates: north },
            },
          ]
        : []),
    ];
  });
  return { type: 'FeatureCollection', features };
}

export function draftFeatures(shapes: readonly ZoneShape[]): Features<Record<string, never>> {
  return {
    type: 'FeatureCollection',
    features: shapes.map((shape) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'MultiPolygon', coordinates: outlineOf(shape) },
    })),
  };
}

/** Each alarm draws all zones again. */
const outlines = new WeakMap<ZoneShape, [number, number][][][]>();

function outlineOf(shape: ZoneShape): [number, number][][][] {
  const known = outlines.get(shape);
  if (known) return known;
  const outline = shapeOutline(shape);
  outlines.set(shape, outline);
  return outline;
}
