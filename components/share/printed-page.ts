import type { Lookout } from '#lib/client/page/lookout.ts';
import { readWindowState } from '#lib/client/page/use-window-state.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { type SortOrder, sortSlots } from '#lib/picture/list-tracks.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { INITIAL_ORDER, orderSchema } from '../tracks/sort-order.ts';
import { referencePoint } from '../tracks/use-track-list.ts';
import { drawPictureSheet } from './draw-picture-sheet.ts';
import { type PrintedRow, type PrintedTrack, printedRows } from './print-rows.ts';
import { picturedMap } from './take-picture.ts';

export interface PrintedPage {
  readonly map: HTMLCanvasElement | undefined;
  readonly lines: readonly string[];
  readonly rows: readonly PrintedRow[];
  readonly inView: number;
  readonly units: UnitSystem;
  readonly colouring: Colouring;
  readonly layersOn: ReadonlySet<Layer>;
}

const PAPER = { ground: '#ffffff', text: '#000000' } as const;

export function printedPage(lookout: Lookout): PrintedPage {
  const { display, mapView, markedPlace, measuring, operator, preferences } = lookout;
  const { map, text } = picturedMap(lookout);
  const { visible, ...middle } = mapView.get();
  const order = readWindowState('track-order', orderSchema) ?? INITIAL_ORDER;
  const { at: from } = referencePoint(markedPlace.get(), measuring.reading.get().ringCentres, middle);
  const { units } = preferences.get();
  const { selection, shownAt } = display.summary();
  const tracks = visible ? tracksIn(display, order, from, (lon, lat) => bboxContains(visible, lon, lat)) : [];
  const rows = shownAt === undefined ? [] : printedRows(tracks, selection.refs, epochMs(shownAt), units);
  const places = new Map(tracks.map(({ position }) => [position.ref, position]));
  const numbered = rows.flatMap(({ ref, number }) => {
    const place = places.get(ref);
    return place ? [{ number, lon: place.lon, lat: place.lat }] : [];
  });
  return {
    map: map && drawPictureSheet(map, { plates: text.plates, lines: [] }, PAPER, numbered),
    lines: [...text.lines, `Printed by ${operator?.name ?? 'an operator without sign-in'} at ${window.location.host}`],
    rows,
    inView: tracks.length,
    units,
    colouring: lookout.colouring.get(),
    layersOn: lookout.layersOn.get(),
  };
}

function tracksIn(
  display: Lookout['display'],
  order: SortOrder,
  from: LonLat,
  isInside: (lon: number, lat: number) => boolean,
): readonly PrintedTrack[] {
  const { tracks } = display;
  const { count, slot } = display.picture();
  const { lon, lat, expiresAtMs } = tracks.columns;
  const slots = Array.from(slot.subarray(0, count)).filter((at) => isInside(lon[at] as number, lat[at] as number));
  const moment = tracks.momentAt(epochMs(display.summary().shownAt ?? upstreamInstant(0)));
  return sortSlots(moment, slots, order, from, () => new Float64Array(moment.columns.end)).map((at) => ({
    position: tracks.positionAt(at),
    expiresAtMs: expiresAtMs[at] as number,
  }));
}
