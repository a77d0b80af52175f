import { isInPlace, isShown, type TrackFilter, verdictOn } from '#lib/filter/track-filter.ts';
import { type Area, polygonOf } from '#lib/geo/area.ts';
import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { KIND_OF_LAYER, LAYER_OF_KIND } from '#lib/model/layer-kind.ts';
import { LAYERS, type Layer, type TrackKind } from '#lib/model/position.ts';
import { msBetween } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { ReplayStore } from '../store/replay-store.ts';
import { RowRecord } from './row-record.ts';
import { type ScanQuestion, scanTrack } from './scan-track.ts';
import type { Approach, KindInWindow, PossibleCrossing, WindowTrack, WindowTracks } from './window-tracks.ts';

const SLICE = 20_000;

export interface WindowScan {
  readonly store: ReplayStore;
  readonly window: Window;
  readonly layers: ReadonlySet<Layer>;
  readonly filter: TrackFilter;
  readonly visible: Bbox | undefined;
  readonly place: LonLat | undefined;
}

/**
 * By received positions alone; filters by age do not apply.
 * @returns `undefined` once `isWanted` is false
 */
export async function scanWindow(
  { store, window, layers, filter, visible, place }: WindowScan,
  { yieldToMain, isWanted }: { yieldToMain(): Promise<void>; isWanted(): boolean },
): Promise<WindowTracks | undefined> {
  const fromMs = msBetween(store.window.start, window.start);
  const { binMs } = store.histogram;
  const record = new RowRecord(store);
  const question = questionOf(filter, visible, place);
  const found: Record<TrackKind, Found> = { drone: emptyKind(window, binMs), aircraft: emptyKind(window, binMs) };
  let looked = 0;
  for (let track = 0; track < store.trackCount; track++) {
    const kind = store.kindOf(track);
    if (!layers.has(LAYER_OF_KIND[kind])) continue;
    const ofKind = found[kind];
    const { histogram } = ofKind;
    const scanned = scanTrack(store, track, fromMs, record, question, (timeMs) => {
      const bin = Math.floor((timeMs - fromMs) / binMs);
      histogram[bin] = (histogram[bin] as number) + 1;
    });
    if (scanned.positions > 0) ofKind.received++;
    if (scanned.shown) ofKind.tracks.push(scanned.shown);
    if (scanned.crossing) ofKind.crossings.push(scanned.crossing);
    ofKind.nearestOutside = nearer(ofKind.nearestOutside, scanned.nearestOutside);
    looked += store.seriesOf(track).count;
    if (looked < SLICE) continue;
    looked = 0;
    await yieldToMain();
    if (!isWanted()) return undefined;
  }
  for (const layer of LAYERS) found[KIND_OF_LAYER[layer]].tracks.sort((a, b) => msBetween(b.first, a.first));
  return found;
}

type Found = {
  -readonly [Name in 'received' | 'nearestOutside']: KindInWindow[Name];
} & Pick<KindInWindow, 'histogram'> & {
    readonly tracks: WindowTrack[];
    readonly crossings: PossibleCrossing[];
  };

function emptyKind(window: Window, binMs: number): Found {
  const bins = Math.ceil(windowLengthMs(window) / binMs);
  return { received: 0, tracks: [], crossings: [], nearestOutside: undefined, histogram: new Uint32Array(bins) };
}

function questionOf(filter: TrackFilter, visible: Bbox | undefined, place: LonLat | undefined): ScanQuestion {
  const inside = filter.inside === 'view' ? visible : filter.inside;
  const { emergency } = filter;
  const elsewhere: TrackFilter = {
    ...filter,
    inside: undefined,
    ageS: undefined,
    // The map shows emergencies despite the filter, but they are no answer to the question.
    emergency: emergency === 'only' ? emergency : undefined,
  };
  return {
    isShownElsewhere: (record) => isShown(elsewhere, verdictOn(elsewhere, record, 0, undefined)),
    isInside: (record) => inside === undefined || isInPlace(inside, record.lon, record.lat),
    area: inside && areaOf(inside),
    place,
  };
}

/** `undefined` for a box that is too wide to be near to anything. */
function areaOf(inside: Bbox | Area): Area | undefined {
  if ('kind' in inside) return inside;
  if (lonSpanDeg(inside) >= 180) return undefined;
  const { west, south, east, north } = inside;
  return polygonOf([
    { lon: west, lat: south },
    { lon: east, lat: south },
    { lon: east, lat: north },
    { lon: west, lat: north },
  ]);
}

function nearer(one: Approach | undefined, other: Approach | undefined): Approach | undefined {
  return one && other && other.distanceM >= one.distanceM ? one : (other ?? one);
}
