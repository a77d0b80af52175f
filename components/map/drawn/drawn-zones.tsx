'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { isPending, wasOpenAt } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { type Bbox, bboxContains, bboxesOverlap, eastPastWest } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { ZONE_TONES, zoneTone } from '#lib/model/zone-tones.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import type { MapName } from '../labels/map-names.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

interface DrawnZonesProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
  /** Receives the names, which are placed with the labels of tracks. */
  readonly onNames: (names: readonly MapName[]) => void;
}

/**
 * Draws the zones, lit while they have open alarms, and says so where the whole view lies inside one. A replay has the
 * zones of its time.
 */
export function DrawnZones({ map, theme, onNames }: DrawnZonesProps) {
  const { mapView, zones: desk } = useLookout();
  const changed = useValue(desk.draft)?.before?.id;
  const { zones, lookOf } = useZoneLooks();
  // The draft of a changed zone is drawn instead (drawn-zone-draft.tsx).
  const shown = useMemo(() => zones.filter(({ id }) => id !== changed), [zones, changed]);
  const features = useMemo(() => (shown.length > 0 ? zoneFeatures(shown, lookOf) : undefined), [shown, lookOf]);
  useFeatures(map, theme, ZONE_LAYERS, features);
  useEffect(() => {
    onNames(zoneNames(shown, lookOf));
    return () => onNames([]);
  }, [shown, lookOf, onNames]);
  const { visible } = useValue(mapView);
  const alarmed = visible
    ? shown.filter(({ id, shape }) => lookOf(id).look !== 'calm' && fillsView(shape, visible))
    : [];
  const [first, ...others] = alarmed;
  if (!first) return null;
  return (
    <p
      role="status"
      className="map-inside"
      data-testid="inside-zone"
      data-lit={alarmed.some(({ id }) => lookOf(id).look === 'lit')}
    >
      You are looking into {first.name}
      {others.length > 0 && ` and ${others.length} more`}
    </p>
  );
}

/** Whether no edge of the shape is in view, and the view is inside. */
export function fillsView(shape: ZoneShape, view: Bbox): boolean {
  const { west, south, north } = view;
  const east = eastPastWest(view);
  if (east - west >= 180) return false;
  const ground = groundOf(shape);
  const corners = [
    [west, south],
    [west, north],
    [east, south],
    [east, north],
    [(west + east) / 2, (south + north) / 2],
  ] as const;
  if (!corners.every(([lon, lat]) => ground.contains(wrapLongitude(lon), lat))) return false;
  return !outlineOf(shape)
    .flat(2)
    .some(([lon, lat]) => bboxContains(view, wrapLongitude(lon), lat));
}

interface ZoneLook {
  /** Whether it has open alarms: none, only acknowledged ones, or one that waits. */
  readonly look: 'calm' | 'acknowledged' | 'lit';
  readonly isWatched: boolean;
  /** The zone's open alarms in words; empty for none. */
  readonly note: string;
  /** The id of its alarm that a press on the name opens: a new one first. */
  readonly alarm?: string | undefined;
}

const UNCHANGED = { changed: [], removed: [] };
const CALM: ZoneLook = { look: 'calm', isWatched: true, note: '' };

/** The zones on display, live or as they were at the replayed time, and how each looks. */
function useZoneLooks(): { readonly zones: readonly Zone[]; readonly lookOf: (id: string) => ZoneLook } {
  const { shownAt, isPast } = useDisplay();
  const at = isPast ? shownAt : undefined;
  const { data } = useQuery({ ...zonesQuery(at), placeholderData: keepPreviousData });
  const { data: present } = useQuery(zonesQuery());
  const { changed, removed } =
    at === undefined ? UNCHANGED : changesBefore(at, data?.zones ?? [], present?.zones ?? []);
  const { alarms } = useAlarms();
  const now = useNow();

  const looks: Record<string, ZoneLook> = {};
  for (const { zone, watched } of data?.zones ?? [])
    if (at === undefined && watched?.state === 'not_watched') looks[zone.id] = { ...CALM, isWatched: false };
  const open = groupedBy(
    alarms.filter((alarm) => (at === undefined ? alarm.state !== 'ended' && !alarm.closed : wasOpenAt(alarm, at))),
    ({ zone }) => zone.id,
  );
  for (const [id, its] of open) {
    const fresh = its.filter((alarm) => isPending(alarm, now));
    const pending = fresh.length;
    const isLit = at !== undefined || pending > 0;
    const counts = at !== undefined ? `${its.length} in alarm` : pending > 0 ? `${pending} new` : 'acknowledged';
    looks[id] = {
      ...(looks[id] ?? CALM),
      look: isLit ? 'lit' : 'acknowledged',
      note: counts,
      alarm: (fresh[0] ?? its[0])?.id,
    };
  }

  // Zones are drawn again only when a look changes, not every second.
  const key = JSON.stringify([looks, changed, removed]);
  return useMemo(() => {
    const [known, later, gone] = JSON.parse(key) as readonly [Readonly<Record<string, ZoneLook>>, Zone[], string[]];
    const before = (data?.zones ?? []).map(({ zone }) => zone);
    const zones = before.filter(({ id }) => !gone.includes(id) && later.every((zone) => zone.id !== id)).concat(later);
    return { zones, lookOf: (id: string) => known[id] ?? CALM };
  }, [key, data]);
}

/** Zones of the past are read by the minute: these have changed or were removed since. */
export function changesBefore(
  at: UpstreamInstant,
  past: readonly Pick<PricedZone, 'zone'>[],
  present: readonly Pick<PricedZone, 'zone'>[],
): { readonly changed: readonly Zone[]; readonly removed: readonly string[] } {
  const changed = present.flatMap(({ zone }) => {
    const time = parseInstant(zone.changed_at);
    return time !== undefined && time <= at && msBetween(time, at) <= MINUTE_MS ? [zone] : [];
  });
  const removed = past.flatMap(({ zone }) => {
    const time = zone.removed_at === null ? undefined : parseInstant(zone.removed_at);
    return time !== undefined && time <= at ? [zone.id] : [];
  });
  return { changed, removed };
}

interface DrawnZone extends Pick<ZoneLook, 'look' | 'isWatched'> {
  readonly tone: number;
  /** Opacities of the band inside the edge and of the casing around it, and the edge's width in pixels. */
  readonly band: number;
  readonly casing: number;
  readonly edgePx: number;
}

type Features<P> = GeoJSON.FeatureCollection<GeoJSON.Geometry, P>;

/** Alarmed zones come last: they are drawn over calm ones. */
const LOOKS = ['calm', 'acknowledged', 'lit'] as const satisfies ZoneLook['look'][];

type NamedShape = Pick<Zone, 'id' | 'name' | 'shape'>;

function zoneFeatures(zones: readonly NamedShape[], lookOf: (id: string) => ZoneLook): Features<DrawnZone> {
  const piles = pilesOf(zones.map(({ shape }) => shape));
  const features = zones.map(({ id, shape }, index): Features<DrawnZone>['features'][number] => {
    const { look, isWatched } = lookOf(id);
    const pile = piles[index] ?? 1;
    const properties = {
      look,
      isWatched,
      tone: zoneTone(id),
      band: layerOpacity(BAND_OPACITY[look], pile),
      casing: layerOpacity(CASING_OPACITY, pile),
      edgePx: pile > CROWDED ? 1 : EDGE_PX[look],
    };
    return { type: 'Feature', properties, geometry: { type: 'MultiPolygon', coordinates: outlineOf(shape) } };
  });
  features.sort((a, b) => LOOKS.indexOf(a.properties.look) - LOOKS.indexOf(b.properties.look));
  return { type: 'FeatureCollection', features };
}

/** How opaque a pile of bands may become. */
export const BAND_OPACITY: Readonly<Record<ZoneLook['look'], number>> = { calm: 0.16, acknowledged: 0.2, lit: 0.34 };
const CASING_OPACITY = 0.6;
const EDGE_PX: Readonly<Record<ZoneLook['look'], number>> = { calm: 1.25, acknowledged: 1.75, lit: 2.75 };
/** The edges of more zones in a place are thin, or they would fill it. */
const CROWDED = 6;

/** The opacity of each of `pile` layers, which one above the other are as opaque as `whole`. */
export function layerOpacity(whole: number, pile: number): number {
  return 1 - (1 - whole) ** (1 / pile);
}

/** For each shape, the number of shapes whose box shares area with its own, itself included: no place has more of them. */
export function pileSizes(shapes: readonly ZoneShape[]): readonly number[] {
  const boxes = shapes.map((shape) => shapeBox(shape, 0));
  return boxes.map((box) => boxes.reduce((sum, other) => sum + (bboxesOverlap(box, other) ? 1 : 0), 0));
}

let piled: { readonly shapes: readonly ZoneShape[]; readonly sizes: readonly number[] } = { shapes: [], sizes: [] };

/** Computed once while the shapes stay the same, since each alarm draws all zones again. */
function pilesOf(shapes: readonly ZoneShape[]): readonly number[] {
  if (shapes.length !== piled.shapes.length || shapes.some((shape, index) => shape !== piled.shapes[index]))
    piled = { shapes, sizes: pileSizes(shapes) };
  return piled.sizes;
}

/** The northernmost place of a zone has its name; new alarms come first. */
function zoneNames(zones: readonly NamedShape[], lookOf: (id: string) => ZoneLook): readonly MapName[] {
  const named = zones.flatMap(({ id, name, shape }) => {
    const { look, note, alarm } = lookOf(id);
    const place = namePlaceOf(shape);
    const lines = note === '' ? [name] : [name, note];
    return place ? [{ look, lines, tone: zoneTone(id), place, opens: { zone: id, alarm } }] : [];
  });
  named.sort((a, b) => LOOKS.indexOf(b.look) - LOOKS.indexOf(a.look));
  return named.map(({ look, place, ...name }) => ({ ...place, ...name, side: 'above', look: NAME_LOOK[look] }));
}

type NamePlace = Pick<MapName, 'mercatorX' | 'mercatorY' | 'span'>;

const namePlaces = new WeakMap<ZoneShape, NamePlace | undefined>();

function namePlaceOf(shape: ZoneShape): NamePlace | undefined {
  if (namePlaces.has(shape)) return namePlaces.get(shape);
  const outline = outlineOf(shape).flat(2);
  const [north] = outline.toSorted(([, a], [, b]) => b - a);
  const xs = outline.map(([lon]) => mercatorX(lon));
  const span = Math.max(...xs) - Math.min(...xs);
  const place = north && { mercatorX: mercatorX(north[0]), mercatorY: mercatorY(north[1]), span };
  namePlaces.set(shape, place);
  return place;
}

const NAME_LOOK = { calm: 'plain', acknowledged: 'noted', lit: 'lit' } as const satisfies Record<
  ZoneLook['look'],
  string
>;

/** Outlines are computed once, since each alarm draws all zones again. */
const outlines = new WeakMap<ZoneShape, [number, number][][][]>();

export function outlineOf(shape: ZoneShape): [number, number][][][] {
  const known = outlines.get(shape);
  if (known) return known;
  const outline = shapeOutline(shape);
  outlines.set(shape, outline);
  return outline;
}

const SOURCE = 'zones';

const byLook = <T extends string | ExpressionSpecification>(
  calm: ExpressionSpecification,
  acknowledged: T,
  lit: T,
): ExpressionSpecification => [
  'match',
  ['get', 'look'] satisfies ['get', keyof DrawnZone],
  'lit',
  lit,
  'acknowledged',
  acknowledged,
  calm,
];

const isWatched: ExpressionSpecification = ['get', 'isWatched'];

const BAND_PX = 12;

/**
 * The band of each tone has its own dashes, in widths of the band: tones are not told apart by colour alone. MapLibre draws
 * nothing where dash and gap are shorter than the width of the line.
 */
export const BAND_DASHES = [
  [1, 0],
  [0.65, 0.35],
  [1.6, 0.4],
  [0.3, 0.7],
] as const;

const SOLID = [1, 0] as const;

const literal = (dashes: readonly [number, number]): ExpressionSpecification => ['literal', [...dashes]];

const byTone = <T,>(values: readonly T[]): ExpressionSpecification =>
  [
    'match',
    ['get', 'tone'],
    ...values.slice(1).flatMap((value, index) => [index + 1, value]),
    values[0],
  ] as unknown as ExpressionSpecification;

const ZONE_LAYERS: FeatureLayers = {
  source: SOURCE,
  tolerance: 0.2,
  layers(theme) {
    const { bad: lit, ground: casing } = TOKENS[theme];
    const colour = byLook(byTone([...ZONE_TONES[theme]]), lit, lit);
    const edge = { 'line-color': colour, 'line-width': ['get', 'edgePx'] as ExpressionSpecification };
    return {
      below: [
        {
          id: 'zone-band',
          type: 'line',
          source: SOURCE,
          layout: { 'line-join': 'round' },
          paint: {
            'line-color': colour,
            'line-width': BAND_PX,
            // Polygons are inset by a positive offset.
            'line-offset': BAND_PX / 2,
            'line-opacity': ['get', 'band'],
            'line-dasharray': byLook(byTone(BAND_DASHES.map(literal)), literal(SOLID), literal(SOLID)),
          },
        },
        {
          id: 'zone-casing',
          type: 'line',
          source: SOURCE,
          layout: { 'line-join': 'round' },
          paint: {
            'line-color': casing,
            'line-width': ['+', ['get', 'edgePx'], 1.75],
            'line-opacity': ['get', 'casing'],
          },
        },
        {
          id: 'zone-edge',
          type: 'line',
          source: SOURCE,
          filter: isWatched,
          layout: { 'line-join': 'round' },
          paint: edge,
        },
        {
          id: 'zone-edge-unwatched',
          type: 'line',
          source: SOURCE,
          filter: ['!', isWatched],
          layout: { 'line-join': 'round' },
          paint: { ...edge, 'line-dasharray': [3, 2.5] },
        },
      ],
    };
  },
};
