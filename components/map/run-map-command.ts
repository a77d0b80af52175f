import type { Lookout } from '#lib/client/page/lookout.ts';
import type { MapCommand, MapPixels } from '#lib/client/page/page-map.ts';
import { afterDrag } from '#lib/client/page/selecting.ts';
import { eastPastWest } from '#lib/geo/bbox.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { FIT_ZOOM_MAX } from '#lib/geo/zoom-limits.ts';

const FIT_MARGIN_PX = 80;
/** A box shown has this margin, in CSS pixels: its edges are visible, and hardly more is requested. */
const BOX_MARGIN_PX = 16;

const MOVES_AWAY: ReadonlySet<MapCommand['kind']> = new Set([
  'home',
  'show-view',
  'go-to',
  'show-box',
  'fit-all',
  'fit-selected',
]);

export interface MovedTo {
  readonly center?: [number, number];
  readonly zoom?: number;
  readonly bearing?: number;
  readonly pitch?: number;
}

/** The part of MapLibre's map that commands use. */
export interface CommandedMap {
  getZoom(): number;
  getCenter(): { readonly lng: number; readonly lat: number };
  zoomTo(zoom: number): unknown;
  easeTo(to: MovedTo): unknown;
  jumpTo(to: MovedTo): unknown;
  fitBounds(
    box: [number, number, number, number],
    options: { readonly padding: number; readonly maxZoom?: number },
  ): unknown;
}

/**
 * Runs a command of the page, such as of a key or a button, on the map or on what stands in for it.
 * @param readPixels `undefined` without a map: there is nothing to read
 */
export function runMapCommand(
  map: CommandedMap,
  command: MapCommand,
  lookout: Lookout,
  readPixels?: () => MapPixels | undefined,
): void {
  if (MOVES_AWAY.has(command.kind)) lookout.selecting.changeFocus(afterDrag);
  switch (command.kind) {
    case 'zoom':
      map.zoomTo(map.getZoom() + command.by);
      return;
    case 'home': {
      const { lon, lat, zoom, bearingDeg } = lookout.home.get();
      map.easeTo({ center: [lon, lat], zoom, bearing: bearingDeg });
      return;
    }
    case 'show-view': {
      const { lon, lat, zoom, bearingDeg } = command.view;
      map.jumpTo({ center: [lon, lat], zoom, bearing: bearingDeg });
      return;
    }
    case 'read-pixels': {
      const pixels = readPixels?.();
      if (pixels) command.done(pixels);
      return;
    }
    case 'north-up':
      map.easeTo({ bearing: 0, pitch: 0 });
      return;
    case 'centre':
      map.easeTo({ center: [command.lon, command.lat], zoom: command.zoom ?? map.getZoom() });
      return;
    case 'go-to': {
      const { lon, lat, zoom, name } = command;
      map.jumpTo({ center: [lon, lat], zoom });
      lookout.markedPlace.put({ lon, lat }, name);
      return;
    }
    case 'show-middle': {
      const { lng, lat } = map.getCenter();
      lookout.markedPlace.put({ lon: lng, lat });
      return;
    }
    case 'show-box': {
      const { west, south, north } = command.bbox;
      map.fitBounds([west, south, eastPastWest(command.bbox), north], { padding: BOX_MARGIN_PX });
      return;
    }
    case 'fit-all': {
      const { slot, count } = lookout.display.picture();
      fitTo(map, lookout, slot.subarray(0, count));
      return;
    }
    case 'fit-selected': {
      const { refs } = lookout.display.summary().selection;
      const slots = refs.map((ref) => lookout.display.tracks.slotOf(ref));
      fitTo(
        map,
        lookout,
        slots.filter((slot) => slot !== undefined),
      );
      return;
    }
  }
}

function fitTo(map: CommandedMap, { display }: Lookout, slots: Iterable<number>): void {
  const { columns } = display.tracks;
  const middle = map.getCenter().lng;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const slot of slots) {
    const lat = columns.lat[slot] as number;
    const lon = nearestCopy(columns.lon[slot] as number, middle);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  if (west > east) return;
  map.fitBounds([west, south, east, north], { padding: FIT_MARGIN_PX, maxZoom: FIT_ZOOM_MAX });
}
