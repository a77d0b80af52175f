import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { NewPermit, Permit, PermitChange } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import type { Area } from '#lib/geo/area.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { LAYER_OF_KIND, type Layer, type Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { compilePermit, coverageOf, type PermitTerms } from '#lib/zones/permit.ts';
import { shapeOfArea } from '#lib/zones/zone-area.ts';
import { groupedBy } from '../grouped-by.ts';
import { roundedShape } from './zone-draft.ts';

/** The subject of a permit that is written. */
export type PermitSubject = (
  | { readonly kind: 'alarms'; readonly alarms: readonly Alarm[] }
  | { readonly kind: 'track'; readonly position: Position }
  | { readonly kind: 'zone' }
  | { readonly kind: 'change'; readonly permit: Permit }
) & {
  /** The form before its area was drawn. */
  readonly draft?: PermitDraft;
};

interface PermittedTrack {
  readonly zone: string;
  readonly track: NonNullable<PermitTerms['track']>;
}

/** A permit while an operator writes it. It becomes one for each zone, or for each track. */
export interface PermitDraft {
  readonly name: string;
  readonly zones: readonly string[];
  readonly layers: readonly Layer[];
  /** A volume covers every track in it. */
  readonly covers: 'volume' | 'tracks';
  /** Empty where no track is known. */
  readonly tracks: readonly PermittedTrack[];
  readonly area: 'zone' | 'around' | 'own';
  /** Where the track is; `undefined` for several, or none. */
  readonly around: LonLat | undefined;
  readonly radiusM: number;
  /** The area of a changed permit, or one that was drawn. */
  readonly shape: PermitTerms['shape'];
  readonly vertical: PermitTerms['vertical'];
  readonly startMs: number;
  readonly endMs: number;
  readonly expectsFlight: boolean;
}

const LENGTH_MS = 2 * HOUR_MS;
const END_STEP_MS = 5 * MINUTE_MS;
const RADIUS_M = 500;
/** The limit of open drone flights. */
const CEILING = { field: 'height_agl_m', floor_m: null, ceiling_m: 120 } as const;

/** A permit with sensible values, so that it can be made at once. */
export function permitDraftOf(subject: PermitSubject, zones: readonly Zone[], nowMs: number): PermitDraft {
  if (subject.draft) return subject.draft;
  if (subject.kind === 'change') return changeOf(subject.permit);
  const blank = {
    layers: ['rid'] as readonly Layer[],
    covers: 'volume',
    tracks: [],
    area: 'zone',
    around: undefined,
    radiusM: RADIUS_M,
    shape: null,
    vertical: CEILING,
    expectsFlight: false,
    startMs: Math.floor(nowMs / MINUTE_MS) * MINUTE_MS,
    endMs: Math.ceil((nowMs + LENGTH_MS) / END_STEP_MS) * END_STEP_MS,
  } as const;
  if (subject.kind === 'alarms') {
    const alarms = subject.alarms.filter(({ track }) => track !== null);
    const last = alarms.length === 1 ? alarms[0]?.evidence.at(-1) : undefined;
    const tracks = alarms.flatMap(({ zone, layer, track, other }) =>
      [track === null ? [] : { layer, ref: track }, other ?? []].flat().map((each) => ({ zone: zone.id, track: each })),
    );
    const layers = [...new Set(tracks.map(({ track }) => track.layer))];
    const inZones = [...new Map(alarms.map(({ zone }) => [zone.id, zone.name]))];
    return {
      ...blank,
      layers: layers.length > 0 ? layers : blank.layers,
      tracks,
      zones: inZones.map(([id]) => id),
      around: last && { lon: last.longitude, lat: last.latitude },
      name: nameOf(
        layers,
        inZones.map(([, name]) => name),
      ),
    };
  }
  if (subject.kind === 'zone') {
    const [zone] = zones;
    return { ...blank, zones: zone ? [zone.id] : [], name: '' };
  }
  const { position } = subject;
  const layer = LAYER_OF_KIND[position.kind];
  const inside = zones.filter(({ shape }) => groundOf(shape).contains(position.lon, position.lat));
  const chosen = inside.length > 0 ? inside : zones.slice(0, 1);
  return {
    ...blank,
    layers: [layer],
    tracks: chosen.map(({ id }) => ({ zone: id, track: { layer, ref: position.ref } })),
    zones: chosen.map(({ id }) => id),
    around: { lon: position.lon, lat: position.lat },
    name: nameOf(
      [layer],
      chosen.map(({ name }) => name),
    ),
  };
}

const LAYER_WORD: Readonly<Record<Layer, string>> = { rid: 'Drones', adsb: 'Aircraft' };

function nameOf(layers: readonly Layer[], zones: readonly string[]): string {
  const who = layers.length === 1 ? LAYER_WORD[layers[0] ?? 'rid'] : 'Traffic';
  return [...`${who} in ${zones.length === 1 ? zones[0] : `${zones.length} zones`}`].slice(0, 80).join('');
}

function changeOf({ name, zone, layers, track, shape, vertical, start, end, flight }: Permit): PermitDraft {
  return {
    name,
    zones: [zone.id],
    layers,
    covers: track ? 'tracks' : 'volume',
    tracks: track ? [{ zone: zone.id, track }] : [],
    area: shape ? 'own' : 'zone',
    around: undefined,
    radiusM: RADIUS_M,
    shape,
    vertical,
    expectsFlight: flight !== null,
    startMs: Date.parse(start),
    endMs: Date.parse(end),
  };
}

/** The draft for other zones, with the track in each. */
export function withPermitZones(draft: PermitDraft, zones: readonly string[]): PermitDraft {
  const tracks = [...groupedBy(draft.tracks, ({ track }) => `${track.layer} ${track.ref}`).values()].flatMap(
    ([first]) => (first ? zones.map((zone) => ({ zone, track: first.track })) : []),
  );
  return { ...draft, zones, tracks };
}

/** @param area that was drawn; `undefined`: drawing was cancelled, and the draft stays */
export function withDrawnArea(draft: PermitDraft, area: Area | undefined): PermitDraft {
  return area ? { ...draft, area: 'own', shape: roundedShape(shapeOfArea(area)) } : draft;
}

/** All but zone and track. */
function termsOf(draft: PermitDraft): Omit<NewPermit, 'zone' | 'track'> {
  const { name, layers, vertical, startMs, endMs, expectsFlight } = draft;
  return {
    name,
    layers: [...layers],
    shape: permitShape(draft),
    vertical,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    expects_flight: expectsFlight,
  };
}

function permitShape({ area, around, radiusM, shape }: PermitDraft): PermitTerms['shape'] {
  if (area === 'around' && around) return { type: 'Circle', centre: [around.lon, around.lat], radius_m: radiusM };
  return area === 'own' ? shape : null;
}

export function newPermitsOf(draft: PermitDraft): NewPermit[] {
  const terms = termsOf(draft);
  if (draft.covers === 'volume') return draft.zones.map((zone) => ({ ...terms, zone, track: null }));
  return draft.tracks.map(({ zone, track }) => ({ ...terms, zone, track, layers: [track.layer] }));
}

export function permitChangeOf(draft: PermitDraft, { revision, track }: Permit): PermitChange {
  return { ...termsOf(draft), revision, track: draft.covers === 'tracks' ? track : null };
}

/** The track of a draft in words; `undefined` without one. */
export function permittedTrackText({ tracks }: PermitDraft): string | undefined {
  const refs = new Set(tracks.map(({ track }) => track.ref));
  const [first] = refs;
  if (first === undefined) return undefined;
  return refs.size === 1 ? shortReference(first) : `these ${refs.size}`;
}

/**
 * The permit that would cover an alarm, if the height of its track were known.
 * @param permits of all zones
 */
export function permitInDoubt(alarm: Alarm, permits: readonly Permit[]): Permit | undefined {
  const { layer, track, evidence, expected, zone } = alarm;
  const last = evidence.findLast(({ public_track_id }) => public_track_id === track);
  const observedAt = last && parseInstant(last.observed_at);
  if (expected || track === null || !last || observedAt === undefined) return undefined;
  const position = {
    observedAt,
    ref: track,
    lon: last.longitude,
    lat: last.latitude,
    heightAglM: last.height_agl_m ?? undefined,
    altitudeM: last.altitude_m ?? undefined,
  };
  // It may have been made after the position: its other terms decide.
  const now = { start: '1970-01-01T00:00:00Z', end: '9999-12-31T00:00:00Z' };
  return permits.find(
    (permit) =>
      permit.state === 'current' &&
      permit.zone.id === zone.id &&
      coverageOf(compilePermit({ ...permit, ...now }), layer, position) === 'height_unknown',
  );
}

/** The terms with the end at which the permit was no longer valid: an operator may have ended it early. */
export function validTerms({ layers, track, shape, vertical, start, end, ended }: Permit): PermitTerms {
  const isEarly = ended !== null && Date.parse(ended.at) < Date.parse(end);
  return { layers, track, shape, vertical, start, end: isEarly ? ended.at : end };
}
