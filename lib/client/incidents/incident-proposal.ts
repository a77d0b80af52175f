import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type NewIncident, TITLE_MAX_LENGTH } from '#lib/api/watching/incidents.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import type { Area } from '#lib/geo/area.ts';
import { type Bbox, boxRing } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { KIND_TEXT, LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { alarmHeadline, subjectText } from '#lib/zones/alarm-words.ts';
import { shapeOfArea } from '#lib/zones/zone-area.ts';

/** The origin of a new incident. `here`: the replay, the drawn area, the selected track, or nothing of these. */
export type IncidentSource =
  | { readonly from: 'alarm'; readonly alarm: Alarm }
  | { readonly from: 'track'; readonly position: Position }
  | { readonly from: 'replay' | 'area' | 'here' };

/** The work of an operator on incidents in a dialog of the map's page. */
export type IncidentTask =
  | { readonly do: 'open'; readonly source: IncidentSource }
  | { readonly do: 'note' | 'sighting' }
  | { readonly do: 'add'; readonly what: Exclude<IncidentSource, { readonly from: 'replay' | 'area' | 'here' }> };

/** The state of the page at that moment. */
export interface AroundIncident {
  readonly nowMs: number;
  /** Those that everyone sees. */
  readonly zones: readonly Pick<Zone, 'id' | 'name'>[];
  /** The marked place, or else the middle of the map. */
  readonly place: LonLat;
  readonly drawn: Area | undefined;
  readonly replay:
    | { readonly window: Window; readonly cursorMs: number; readonly area: Bbox; readonly layers: readonly Layer[] }
    | undefined;
  readonly selected: Position | undefined;
  /** When a track was first received, as far as the page knows. */
  firstAtMs(ref: string): number | undefined;
}

/** Without an area, a circle that is to be typed. */
interface ProposedArea {
  readonly label: string;
  readonly area?: NewIncident['area'];
}

export interface IncidentProposal extends Pick<NewIncident, 'title' | 'layers'> {
  readonly fromMs: number;
  /** null: it runs. */
  readonly toMs: number | null;
  /** The proposed one first. */
  readonly areas: readonly ProposedArea[];
  /** To be pinned. */
  readonly tracks: readonly string[];
}

const BEFORE_MS = 5 * MINUTE_MS;
const RECENT_MS = 15 * MINUTE_MS;
const RADIUS_M = 2000;

/** @param source everyone reads the proposal: it names no zone that not everyone sees */
export function proposedIncident(source: IncidentSource, around: AroundIncident): IncidentProposal {
  const { nowMs, zones, place, drawn, replay, selected } = around;
  const own = {
    drawn: drawn && { label: 'Drawn area', area: shapeOfArea(drawn) },
    replay: replay && { label: 'Area of the replay', area: boxArea(replay.area) },
  };
  const circle = circleAround(place, 'the middle of the map');
  const shared = zones.map(({ id, name }) => ({ label: name, area: { zone: id } }));
  const running = { title: '', fromMs: nowMs - BEFORE_MS, toMs: null, layers: [...LAYERS], tracks: [] };
  const withAreas = (...first: readonly (ProposedArea | undefined)[]) => ({
    areas: [...new Set([...first, own.drawn, own.replay, ...shared, circle])].filter((area) => area !== undefined),
  });
  switch (source.from) {
    case 'alarm': {
      const { alarm } = source;
      const zone = shared.find(({ area }) => area.zone === alarm.zone.id);
      const last = alarm.evidence.at(-1);
      const atMs = epochOf(alarm.opened_at) ?? nowMs;
      return {
        ...running,
        title: titleOf([
          alarm.simulated && 'SIM',
          alarm.test && 'TEST',
          zone ? alarmHeadline(alarm) : subjectText(alarm),
        ]),
        fromMs: Math.min(atMs, nowMs) - BEFORE_MS,
        ...withAreas(zone, last && circleAround({ lon: last.longitude, lat: last.latitude }, 'the alarm')),
      };
    }
    case 'track': {
      const { ref, kind, simulated, testBroadcast, observedAt, lon, lat } = source.position;
      return {
        ...running,
        title: titleOf([simulated && 'SIM', testBroadcast && 'TEST', KIND_TEXT[kind], shortReference(ref)]),
        fromMs: Math.min(around.firstAtMs(ref) ?? epochMs(observedAt) - BEFORE_MS, nowMs),
        tracks: [ref],
        ...withAreas(circleAround({ lon, lat }, 'the track')),
      };
    }
    case 'replay': {
      if (!replay) return { ...running, ...withAreas() };
      const { window, cursorMs, layers } = replay;
      const endMs = epochMs(window.end);
      return {
        ...running,
        fromMs: Math.max(cursorMs - BEFORE_MS, epochMs(window.start)),
        // An event of the last minutes may go on.
        toMs: endMs > nowMs - RECENT_MS ? null : endMs,
        layers: layers.length === 0 ? running.layers : [...layers],
        ...withAreas(own.drawn ?? own.replay),
      };
    }
    case 'area':
      return replay ? proposedIncident({ from: 'replay' }, around) : { ...running, ...withAreas(own.drawn) };
    case 'here':
      if (replay || drawn) return proposedIncident({ from: 'area' }, around);
      if (selected) return proposedIncident({ from: 'track', position: selected }, around);
      return { ...running, ...withAreas(circle) };
  }
}

function titleOf(words: readonly (string | false)[]): string {
  return Array.from(words.filter(Boolean).join(' ')).slice(0, TITLE_MAX_LENGTH).join('');
}

function circleAround({ lon, lat }: LonLat, what: string) {
  const area = { type: 'Circle' as const, centre: [wrapLongitude(lon), lat] as [number, number], radius_m: RADIUS_M };
  return { label: `2 km around ${what}`, area };
}

function boxArea(box: Bbox) {
  return {
    type: 'Polygon' as const,
    coordinates: [boxRing(box).map(([lon, lat]): [number, number] => [wrapLongitude(lon), lat])],
  };
}

function epochOf(text: string): number | undefined {
  const at = parseInstant(text);
  return at === undefined ? undefined : epochMs(at);
}

/** How the form names an alarm or a track. */
export function subjectOf(what: Extract<IncidentTask, { readonly do: 'add' }>['what']): string {
  if (what.from === 'alarm') return alarmHeadline(what.alarm);
  return `${KIND_TEXT[what.position.kind]} ${shortReference(what.position.ref)}`;
}
