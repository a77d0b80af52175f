import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Incident, IncidentEntry } from '#lib/api/watching/incidents.ts';
import { receptionAnswer } from '#lib/client/overview/overview.fixture.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { TracksInside, verdictOf } from '#lib/incidents/inside.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { csvRows } from '#lib/text/csv.ts';
import { groundOf } from '#lib/zones/ground.ts';
import { shapeCentre } from '#lib/zones/shape-box.ts';
import { trackInside } from './incident-answer.ts';
import type { KeptPosition } from './kept-positions.ts';
import type { SealedMaterial } from './sealed-material.ts';

export type Received = Omit<KeptPosition, 'isInside'>;

export const INCIDENT_FROM = '2026-11-21T11:00:00.000Z';
const FROM_MS = Date.parse(INCIDENT_FROM);

export const received: Received = {
  layer: 'rid',
  ref: 'OBS-D-00000000000000A1',
  isDrone: true,
  atMs: FROM_MS,
  staleAfterMs: null,
  lon: 8.55,
  lat: 47.45,
  altitudeM: null,
  heightAglM: null,
  speedMps: null,
  headingDeg: null,
  simulated: false,
  test: false,
};

interface Made {
  readonly incident?: Partial<Incident>;
  readonly positions: readonly Received[];
  readonly notes?: readonly Partial<IncidentEntry>[];
  readonly alarms?: readonly Alarm[];
  readonly notWatched?: readonly {
    readonly layer: Layer;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
}

/** The material of a sealed file, of given positions. */
export function sealedMaterial({
  incident: given,
  positions,
  notes = [],
  alarms = [],
  notWatched = [],
}: Made): SealedMaterial {
  const at = (text: string) => ({ by: 'Ada', at: text });
  const incident: Incident = {
    id: '00000000-0000-4000-8000-000000000001',
    number: '2026-014',
    revision: 3,
    title: 'Drone reported north of runway 28',
    state: 'sealed',
    from: INCIDENT_FROM,
    to: '2026-11-21T12:30:00.000Z',
    zone: null,
    shape: { type: 'Circle', centre: [8.55, 47.45], radius_m: 2000 },
    layers: ['rid', 'adsb'],
    opened: at('2026-11-21T11:02:00.000Z'),
    closed: at('2026-11-21T12:41:00.000Z'),
    sealed: null,
    kept: { positions: positions.length, bytes: 1 },
    notes: notes.length,
    ...given,
  };
  const ground = groundOf(incident.shape);
  const rows = positions.map((each): KeptPosition => ({ ...each, isInside: ground.contains(each.lon, each.lat) }));
  const [fromMs, toMs] = [Date.parse(incident.from), Date.parse(incident.to ?? '')];
  return {
    incident,
    sealed: { by: 'Ada', atMs: Date.parse('2026-11-21T13:00:00.000Z') },
    notes: notes.map((note, index) => ({
      id: `00000000-0000-4000-8000-0000000001${String(index).padStart(2, '0')}`,
      kind: 'observation',
      text: 'Seen from the tower.',
      at: INCIDENT_FROM,
      place: null,
      corrects: null,
      by: 'Ada',
      written_at: note.at ?? INCIDENT_FROM,
      sighting: null,
      check: null,
      ...note,
    })),
    answer: {
      as_of: '2026-11-21T12:41:00.000Z',
      reception: receptionAnswer(),
      layers: Object.fromEntries(
        incident.layers.map((layer) => {
          const missing = notWatched.filter((each) => each.layer === layer);
          const tracks = tracksOf(
            rows.filter((each) => each.layer === layer && each.isInside && each.atMs >= fromMs && each.atMs < toMs),
            shapeCentre(incident.shape),
          );
          const not_watched = missing.map(({ from, to, reason }) => ({ from, to, reason: reason as 'receivers_lost' }));
          return [layer, { verdict: verdictOf(tracks, not_watched), tracks, not_watched }];
        }),
      ),
    },
    alarms,
    pins: { added: [], tracks: [] },
    watched: LAYERS.flatMap((layer) => watchedRows(layer, fromMs - 180_000, toMs + 180_000, notWatched)),
    publicPem:
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n',
    positions: () => positionsCsv(rows),
  };
}

function tracksOf(rows: readonly KeptPosition[], about: LonLat) {
  const inside = new TracksInside(about);
  for (const row of rows)
    inside.add(
      {
        public_track_id: row.ref,
        longitude: row.lon,
        latitude: row.lat,
        height_agl_m: row.heightAglM,
        altitude_m: row.altitudeM,
        simulated: row.simulated,
        test_broadcast: row.test,
      },
      row.atMs,
    );
  return inside.tracks.map(trackInside);
}

function watchedRows(
  layer: Layer,
  fromMs: number,
  toMs: number,
  notWatched: NonNullable<Made['notWatched']>,
): string[][] {
  const rows: string[][] = [];
  let atMs = fromMs;
  const add = (from: number, to: number, state: string, reason: string) =>
    rows.push(['positions', layer, new Date(from).toISOString(), new Date(to).toISOString(), state, reason]);
  for (const { from, to, reason } of notWatched.filter((each) => each.layer === layer)) {
    if (Date.parse(from) > atMs) add(atMs, Date.parse(from), 'watched', '');
    add(Date.parse(from), Date.parse(to), reason === 'receivers_partly' ? 'partly' : 'not_watched', reason);
    atMs = Date.parse(to);
  }
  add(atMs, toMs, 'watched', '');
  return rows;
}

/** `positions.csv` as closing writes it, in pieces that end anywhere. */
async function* positionsCsv(rows: readonly KeptPosition[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(
    'layer,inside,public_track_id,track_kind,observed_at,stale_after,longitude,latitude,altitude_m,height_agl_m,speed_mps,heading_deg,confidence_score,receiver_count,confidence,emergency_state,simulated,test_broadcast\r\n',
  );
  for (let from = 0; from < rows.length; from += 5000) {
    const text = csvRows(
      rows
        .slice(from, from + 5000)
        .map((row) => [
          row.layer,
          row.isInside,
          row.ref,
          row.isDrone ? 'drone' : 'aircraft',
          new Date(row.atMs).toISOString(),
          row.staleAfterMs === null ? null : new Date(row.staleAfterMs).toISOString(),
          row.lon,
          row.lat,
          row.altitudeM,
          row.heightAglM,
          row.speedMps,
          row.headingDeg,
          null,
          null,
          'multi_station, "three"\r\nstations',
          null,
          row.simulated,
          row.test,
        ]),
    );
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
  }
}
