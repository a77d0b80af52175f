import { makeAircraftJson } from './aircraft-json.ts';
import { arbitraryAircraft, hexOf, type ReceivedAircraft, secretsOf } from './arbitrary-aircraft.fixture.ts';
import type { ParserSample } from './parser-sample.fixture.ts';
import { makeReadsbJsonPort } from './readsb-json-port.ts';
import { readsbRow } from './readsb-row.fixture.ts';
import { makeSbs } from './sbs.ts';
import { sbsLine } from './sbs-line.fixture.ts';
import { makeUat } from './uat.ts';
import { uatLine } from './uat-line.fixture.ts';

const STATION = { lat: 46.811_377_1, lon: 7.144_339_7 };

function rowOf(received: ReceivedAircraft) {
  return readsbRow({
    hex: hexOf(received.address),
    flight: received.callsign.padEnd(8),
    r: received.registration,
    ownOp: received.owner,
    squawk: received.squawk,
    alt_baro: received.altitudeFt,
    gs: received.speedKt,
    track: received.trackDeg,
    lat: received.lat,
    lon: received.lon,
    r_dst: received.rangeNm,
    r_dir: received.bearingDeg,
    rId: '3f1c7a52-77aa-41ff-9c1d-40d0d1e5a001',
    rr_lat: STATION.lat,
    rr_lon: STATION.lon,
    lastPosition: { ...STATION, nic: 8, rc: 186, seen_pos: 70 },
  });
}

const rowSecrets = (received: ReceivedAircraft) => [
  ...secretsOf(received),
  received.rangeNm,
  received.bearingDeg,
  STATION.lat,
  STATION.lon,
  '3f1c7a52',
];

const aircraftJson: ParserSample = {
  name: 'aircraft-json',
  make: makeAircraftJson,
  received: arbitraryAircraft.map((received) => ({
    messages: [JSON.stringify({ now: received.sentS, messages: 1, aircraft: [rowOf(received)], receiver: STATION })],
    secrets: rowSecrets(received),
  })),
};

const readsbJsonPort: ParserSample = {
  name: 'readsb-json-port',
  make: makeReadsbJsonPort,
  received: arbitraryAircraft.map((received) => ({
    messages: [JSON.stringify({ now: received.sentS, ...rowOf(received) })],
    secrets: rowSecrets(received),
  })),
};

const sbs: ParserSample = {
  name: 'sbs',
  make: makeSbs,
  received: arbitraryAircraft.map((received) => {
    const hex = hexOf(received.address).toUpperCase();
    return {
      messages: [
        sbsLine({ kind: 1, hex, callsign: received.callsign }),
        sbsLine({ kind: 4, hex, speed: received.speedKt.toFixed(0), track: received.trackDeg.toFixed(0) }),
        sbsLine({ kind: 6, hex, squawk: received.squawk }),
        sbsLine({
          kind: 3,
          hex,
          altitude: received.altitudeFt,
          lat: received.lat.toFixed(6),
          lon: received.lon.toFixed(6),
        }),
      ],
      secrets: secretsOf(received),
    };
  }),
};

const uat: ParserSample = {
  name: 'uat',
  make: makeUat,
  received: arbitraryAircraft.map((received) => ({
    messages: [
      uatLine({
        address: hexOf(received.address),
        callsign: received.callsign,
        flightplan_id: received.squawk,
        pressure_altitude: received.altitudeFt,
        ground_speed: received.speedKt,
        true_track: received.trackDeg,
        position: { lat: received.lat, lon: received.lon },
        tisb_site_id: 7,
        metadata: { rssi: -20.1, errors: 0, received_at: received.sentS },
      }),
    ],
    secrets: secretsOf(received),
  })),
};

export const AIRCRAFT_SAMPLES: readonly ParserSample[] = [aircraftJson, readsbJsonPort, sbs, uat];
