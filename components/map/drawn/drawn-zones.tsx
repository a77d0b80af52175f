'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { isPending, wasOpenAt } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

/** Draws the zones with their names, lit while they have open alarms. A replay has the zones of its time. */
export function DrawnZones({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { zones: desk } = useLookout();
  const changed = useValue(desk.draft)?.before?.id;
  const { zones, lookOf } = useZoneLooks();
  const features = useMemo(() => {
    // The draft of a changed zone is drawn instead (drawn-zone-draft.tsx).
    const shown = zones.filter(({ id }) => id !== changed);
    return shown.length > 0 ? zoneFeatures(shown, lookOf) : undefined;
  }, [zones, changed, lookOf]);
  useFeatures(map, theme, ZONE_LAYERS, features);
  return null;
}

interface ZoneLook {
  /** Whether it has open alarms: none, only acknowledged ones, or one that waits. */
  readonly look: 'calm' | 'acknowledged' | 'lit';
  readonly isWatched: boolean;
  /** The zone's open alarms in words; empty for none. */
  readonly note: string;
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
    const pending = its.filter((alarm) => isPending(alarm, now)).length;
    const isLit = at !== undefined || pending > 0;
    const counts = at !== undefined ? `${its.length} in alarm` : pending > 0 ? `${pending} new` : 'acknowledged';
    looks[id] = { ...(looks[id] ?? CALM), look: isLit ? 'lit' : 'acknowledged', note: counts };
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
  readonly part: 'ground' | 'name';
  readonly label: string;
}

type Features<P> = GeoJSON.FeatureCollection<GeoJSON.Geometry, P>;

function zoneFeatures(
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

const byLook = (
  calm: number | string,
  acknowledged: number | string,
  lit: number | string,
): ExpressionSpecification => [
  'match',
  ['get', 'look'] satisfies ['get', keyof DrawnZone],
  'lit',
  lit,
  'acknowledged',
  acknowledged,
  calm,
];

const isOf = (part: DrawnZone['part']): ExpressionSpecification => ['==', ['get', 'part'], part];

const isWatched: ExpressionSpecification = ['get', 'isWatched'];

const ZONE_LAYERS: FeatureLayers = {
  source: SOURCE,
  tolerance: 0.2,
  layers(theme) {
    const { dim: calm, bad: lit, ground: casing, text } = TOKENS[theme];
    const colour = byLook(calm, lit, lit);
    return {
      below: [
        {
          id: 'zone-fill',
          type: 'fill',
          source: SOURCE,
          filter: isOf('ground'),
          paint: { 'fill-color': colour, 'fill-opacity': byLook(0.05, 0.07, 0.2), 'fill-antialias': false },
        },
        {
          id: 'zone-casing',
          type: 'line',
          source: SOURCE,
          filter: isOf('ground'),
          layout: { 'line-join': 'round' },
          paint: { 'line-color': casing, 'line-width': byLook(3, 4, 5.5), 'line-opacity': 0.6 },
        },
        {
          id: 'zone-edge',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), isWatched],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': byLook(1.25, 1.75, 3) },
        },
        {
          id: 'zone-edge-unwatched',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), ['!', isWatched]],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': byLook(1.25, 1.75, 3), 'line-dasharray': [3, 2.5] },
        },
        {
          id: 'zone-name',
          type: 'symbol',
          source: SOURCE,
          filter: isOf('name'),
          layout: {
            'text-field': ['get', 'label'],
            'text-font': [LABEL_FONT],
            'text-size': byLook(11, 11, 12.5),
            'text-max-width': 14,
            'text-variable-anchor': ['bottom', 'top'],
            'text-radial-offset': 0.4,
            'text-padding': 3,
            'symbol-sort-key': byLook(2, 1, 0),
          },
          paint: { 'text-color': byLook(calm, text, text), 'text-halo-color': casing, 'text-halo-width': 1.75 },
        },
      ],
    };
  },
};
