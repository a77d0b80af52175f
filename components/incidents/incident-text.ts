import { formatAddress } from '#lib/api/address-state.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { roleMay } from '#lib/api/people/permission.ts';
import { REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { historyQuery } from '#lib/client/replay/replay-request.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { eastPastWest } from '#lib/geo/bbox.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import { cameraOf } from '#lib/geo/view-box.ts';
import { personText, type TimeText } from '#lib/incidents/incident-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import { areaOfShape } from '#lib/zones/zone-area.ts';
import { shapeText } from '../zones/zone-text.ts';

/** Words of incidents, and the replays that they lead to. */

export const STATE_TEXT: Readonly<Record<Incident['state'], string>> = {
  open: 'Open',
  closed: 'Closed',
  sealed: 'Sealed',
};

export const STATE_TONE = { open: 'warning', closed: 'neutral', sealed: 'good' } as const;

/** Its state with the person and time, such as `Closed by bea, 12:30:00Z.` */
export function stateLine({ state, opened, closed, sealed }: Incident, time: TimeText): string {
  const { by, at } = sealed ?? closed ?? opened;
  return `${STATE_TEXT[state]} by ${personText(by)}, ${time(at)}.`;
}

/** Without sign-in, everybody may do everything. */
export function mayWrite({ operator }: PageViewer): boolean {
  return !operator || roleMay(operator.role, 'watch');
}

export function incidentArea({ zone, shape }: Pick<Incident, 'zone' | 'shape'>, units: UnitSystem): string {
  const where = shape.type === 'Circle' ? ` around ${lonLatText(shape.centre)}` : '';
  const ground = `${shapeText(shape, units)}${where}`;
  return zone ? `${zone.name}, revision ${zone.revision}: ${ground.charAt(0).toLowerCase()}${ground.slice(1)}` : ground;
}

export function lonLatText([lon, lat]: readonly [number, number]): string {
  return decimalText({ lon, lat });
}

export function layerNames(layers: readonly Layer[]): string {
  return layers.map((layer) => LAYER_NAME[layer]).join(', ');
}

/** The size of the map that a link assumes. */
const MAP_SIZE = { width: 900, height: 500 };
const ZOOM_MAX = 15;
/** Around the area, as closing keeps it. */
const AROUND_M = 2000;

/** The map's replay of the incident at a moment, with its area drawn. @param endMs of what is over, or now */
export function replayAddress(
  { from, shape, layers }: Pick<Incident, 'from' | 'shape' | 'layers'>,
  endMs: number,
  atMs: number,
  refs: readonly string[] = [],
): string {
  const area = shapeBox(shape, AROUND_M);
  const startMs = Date.parse(from);
  const lastMs = Math.max(endMs, startMs + SECOND_MS);
  const cursorMs = Math.min(Math.max(Math.floor(atMs / SECOND_MS) * SECOND_MS, startMs), lastMs);
  // One that has run for longer than a replay may be is replayed around the moment.
  const fromMs = Math.max(startMs, Math.min(cursorMs - REPLAY_MAX_WINDOW_MS / 2, lastMs - REPLAY_MAX_WINDOW_MS));
  const window = {
    start: upstreamInstant(fromMs),
    end: upstreamInstant(Math.min(lastMs, fromMs + REPLAY_MAX_WINDOW_MS)),
  };
  return `/${formatAddress({
    view: { ...cameraOf({ ...area, east: eastPastWest(area) }, MAP_SIZE, ZOOM_MAX), bearingDeg: 0 },
    layers: new Set(layers),
    selectedRefs: refs,
    filter: { ...NO_FILTER, inside: areaOfShape(shape) },
    colouring: 'altitude',
    replay: { window, area, cursor: upstreamInstant(cursorMs), speed: 1 },
  })}`;
}

/** Kept before and after the window. */
export const KEPT_AROUND_MS = 3 * MINUTE_MS;

/** The query of the price of what is read of an incident. @param aroundMs read before and after its window */
export function costQueryOf({ shape, layers, from, to }: Incident, nowMs: number, aroundMs: number): string {
  const endMs = Math.min(nowMs, to === null ? nowMs : Date.parse(to) + aroundMs);
  const window = {
    start: upstreamInstant(Date.parse(from) - aroundMs),
    // A running incident is priced once a minute.
    end: upstreamInstant(Math.floor(endMs / MINUTE_MS) * MINUTE_MS),
  };
  return String(historyQuery({ area: shapeBox(shape, AROUND_M), window, layers: new Set(layers) }));
}
