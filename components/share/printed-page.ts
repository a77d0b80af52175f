import type { Lookout } from '#lib/client/page/lookout-context.tsx';
import { bboxContains } from '#lib/geo/bbox.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs } from '#lib/time/instant.ts';
import { drawPictureSheet } from './draw-picture-sheet.ts';
import { type PrintedRow, type PrintedTrack, printedRows } from './print-rows.ts';
import { picturedMap } from './take-picture.ts';

/** What is on a printed sheet, all of it at one instant. */
export interface PrintedPage {
  /** The map with its plates; `undefined` if it has nothing to show. WebGL itself is printed blank. */
  readonly map: HTMLCanvasElement | undefined;
  readonly lines: readonly string[];
  readonly rows: readonly PrintedRow[];
  /** Tracks in view that the filter shows. */
  readonly inView: number;
  readonly units: UnitSystem;
  readonly colouring: Colouring;
  readonly layersOn: ReadonlySet<Layer>;
}

const PAPER = { ground: '#ffffff', text: '#000000' } as const;

export function printedPage(lookout: Lookout): PrintedPage {
  const { display, mapView, preferences } = lookout;
  const { map, text } = picturedMap(lookout);
  const { visible } = mapView.get();
  const { units } = preferences.get();
  const { selection, shownAt } = display.summary();
  const tracks = visible ? tracksIn(display, (lon, lat) => bboxContains(visible, lon, lat)) : [];
  return {
    map: map && drawPictureSheet(map, { plates: text.plates, lines: [] }, PAPER),
    lines: text.lines,
    rows: shownAt === undefined ? [] : printedRows(tracks, selection.refs, epochMs(shownAt), units),
    inView: tracks.length,
    units,
    colouring: lookout.colouring.get(),
    layersOn: lookout.layersOn.get(),
  };
}

/** The tracks that are drawn at these places, after the filter. */
function tracksIn(
  display: Lookout['display'],
  isInside: (lon: number, lat: number) => boolean,
): readonly PrintedTrack[] {
  const { tracks } = display;
  const { count, slot } = display.picture();
  const { lon, lat, expiresAtMs } = tracks.columns;
  const drawn: PrintedTrack[] = [];
  for (const at of slot.subarray(0, count)) {
    if (!isInside(lon[at] as number, lat[at] as number)) continue;
    drawn.push({ position: tracks.positionAt(at), expiresAtMs: expiresAtMs[at] as number });
  }
  return drawn;
}
