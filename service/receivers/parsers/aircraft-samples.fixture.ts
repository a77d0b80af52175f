import { makeAircraftJson } from './aircraft-json.ts';
import { type AircraftHeard, arbitraryAircraft, hexOf, secretsOf } from './arbitrary-aircraft.fixture.ts';
import type { ParserSample } from './parser-sample.fixture.ts';
import { makeReadsbJsonPort } from './readsb-json-port.ts';
import { readsbRow } from './readsb-row.fixture.ts';
import { makeSbs } from './sbs.ts';
import { sbsLine } from './sbs-line.fixture.ts';
import { makeUat } from './uat.ts';
import { uatLine } from './uat-line.fixture.ts';

const STATION = { lat: 46.811_377_1, lon: 7.144_339_7 };

function rowOf(heard: AircraftHeard) {
  return readsbRow({
    hex: hexOf(heard.address),
    flight: heard.callsign.padEnd(8),
    r: heard.registration,
    ownOp: heard.owner,
    squawk: heard.squawk,
    alt_baro: heard.altitudeFt,
    gs: heard.speedKt,
    track: heard.trackDeg,
    lat: heard.lat,
    lon: heard.lon,
    r_dst: heard.rangeNm,
    r_dir: heard.bearingDeg,
    rId: '3f1c7a52-77aa-41ff-9c1d-40d0d1e5a001',
    rr_lat: STATION.lat,
    rr_lon: STATION.lon,
    lastPosition: { ...STATION, nic: 8, rc: 186, seen_pos: 70 },
  });
}

const rowSecrets = (heard: AircraftHeard) => [
  ...secretsOf(heard),
  heard.rangeNm,
  heard.bearingDeg,
  STATION.lat,
  STATION.lon,
  '3f1c7a52',
];

const aircraftJson: ParserSample = {
  name: 'aircraft-json',
  make: makeAircraftJson,
  heard: arbitraryAircraft.map((heard) => ({
    messages: [JSON.stringify({ now: heard.sentS, messages: 1, aircraft: [rowOf(heard)], receiver: STATION })],
    secrets: rowSecrets(heard),
  })),
};

const readsbJsonPort: ParserSample = {
  name: 'readsb-json-port',
  make: makeReadsbJsonPort,
  heard: arbitraryAircraft.map((heard) => ({
    messages: [JSON.stringify({ now: heard.sentS, ...rowOf(heard) })],
    secrets: rowSecrets(heard),
  })),
};

const sbs: ParserSample = {
  name: 'sbs',
  make: makeSbs,
  heard: arbitraryAircraft.map((heard) => {
    const hex = hexOf(heard.address).toUpperCase();
    return {
      messages: [
        sbsLine({ kind: 1, hex, callsign: heard.callsign }),
        sbsLine({ kind: 4, hex, speed: heard.speedKt.toFixed(0), track: heard.trackDeg.toFixed(0) }),
        sbsLine({ kind: 6, hex, squawk: heard.squawk }),
        sbsLine({ kind: 3, hex, altitude: heard.altitudeFt, lat: heard.lat.toFixed(6), lon: heard.lon.toFixed(6) }),
      ],
      secrets: secretsOf(heard),
    };
  }),
};

const uat: ParserSample = {
  name: 'uat',
  make: makeUat,
  heard: arbitraryAircraft.map((heard) => ({
    messages: [
      uatLine({
        address: hexOf(heard.address),
        callsign: heard.callsign,
        flightplan_id: heard.squawk,
        pressure_altitude: heard.altitudeFt,
        ground_speed: heard.speedKt,
        true_track: heard.trackDeg,
        position: { lat: heard.lat, lon: heard.lon },
        tisb_site_id: 7,
        metadata: { rssi: -20.1, errors: 0, received_at: heard.sentS },
      }),
    ],
    secrets: secretsOf(heard),
  })),
};

export const AIRCRAFT_SAMPLES: readonly ParserSample[] = [aircraftJson, readsbJsonPort, sbs, uat];
