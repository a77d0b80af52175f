import fc from 'fast-check';
import { makeDragonsync } from './dragonsync.ts';
import { dragonsyncRow } from './dragonsync-row.fixture.ts';
import { makeDronescout } from './dronescout.ts';
import { dronescoutPayload } from './dronescout-payload.fixture.ts';
import { makeMeshMapper } from './mesh-mapper.ts';
import { meshMapperLine } from './mesh-mapper-line.fixture.ts';
import type { ParserSample } from './parser-sample.fixture.ts';
import { makePushRows } from './push-rows.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';

/** The last decimal differs, so that no place contains another's by chance. */
const degrees = (max: number, lastDecimal: number) =>
  fc.integer({ min: 0, max: max * 1e5 - 1 }).map((value) => (value * 10 + lastDecimal) / 1e6);
const placeOf = (lastDecimal: number) => fc.record({ lat: degrees(90, lastDecimal), lon: degrees(180, lastDecimal) });

const arbitraryDrone = fc.record({
  serial: fc.stringMatching(/^[0-9]{4}F[A-HJ-NP-Z0-9]{15}$/),
  registration: fc.stringMatching(/^CHE[a-z0-9]{10}$/),
  mac: fc.stringMatching(/^D[0-9A-F](:[0-9A-F]{2}){4}:[A-F][0-9]$/),
  operatorId: fc.stringMatching(/^CHE[a-z0-9]{12}$/),
  description: fc.stringMatching(/^[A-Z][a-z]{4,8} flight$/),
  sensor: fc.stringMatching(/^sensor-[a-z]{6}$/),
  place: placeOf(1),
  operator: placeOf(3),
  home: placeOf(7),
  altitudeM: fc.integer({ min: -100, max: 8000 }),
  speedMps: fc.integer({ min: 0, max: 1017 }).map((value) => value / 4),
  directionDeg: fc.integer({ min: 0, max: 361 }),
  sentS: fc.integer({ min: 0, max: 86_400_000 }).map((value) => EPOCH_S + value / 1000),
});

type ReceivedDrone = typeof arbitraryDrone extends fc.Arbitrary<infer Value> ? Value : never;

function secretsOf(drone: ReceivedDrone): (string | number)[] {
  const { serial, registration, mac, operatorId, description, sensor, operator, home } = drone;
  const places = [operator, home]
    .flatMap(({ lat, lon }) => [lat, lon, Math.fround(lat), Math.fround(lon)])
    // The float nearest to 179.999997 is 180, also a direction.
    .filter((value) => !Number.isInteger(value));
  return [serial, registration, mac, mac.replaceAll(':', ''), operatorId, description, sensor, ...places];
}

function said(drone: ReceivedDrone) {
  return {
    basicIds: [
      { idType: 1, id: drone.serial },
      { idType: 2, id: drone.registration },
    ],
    location: {
      ...drone.place,
      status: 2,
      directionDeg: drone.directionDeg,
      speedMps: drone.speedMps,
      altitudeGeoM: drone.altitudeM,
      sinceHourS: Math.round(drone.sentS * 10) / 10 - Math.floor(drone.sentS / 3600) * 3600,
    },
    selfId: drone.description,
    operator: { ...drone.operator, altitudeM: drone.altitudeM },
    operatorId: drone.operatorId,
  };
}

const dronescout: ParserSample = {
  name: 'dronescout',
  make: makeDronescout,
  received: arbitraryDrone.map((drone) => {
    const { mac, sensor } = drone;
    const { basicIds, location, ...rest } = said(drone);
    const received = { mac, sensor, timestamp: Math.round(drone.sentS * 1000) };
    const sensorsPlace = { 'sensor ID': sensor, latitude: drone.home.lat, longitude: drone.home.lon };
    return {
      messages: [
        dronescoutPayload({ ...rest, location }, received),
        dronescoutPayload({ ...rest, basicIds }, received),
        dronescoutPayload(said(drone), received),
        JSON.stringify({ protocol: 1.0, location: sensorsPlace }),
      ],
      secrets: secretsOf(drone),
    };
  }),
};

const dragonsync: ParserSample = {
  name: 'dragonsync',
  make: makeDragonsync,
  received: arbitraryDrone.map((drone) => {
    const row = dragonsyncRow({
      id: `drone-${drone.serial}`,
      caa_id: drone.registration,
      mac: drone.mac,
      operator_id: drone.operatorId,
      description: drone.description,
      seen_by: drone.sensor,
      ...drone.place,
      latitude: drone.place.lat,
      longitude: drone.place.lon,
      pilot_lat: drone.operator.lat,
      pilot_lon: drone.operator.lon,
      home_lat: drone.home.lat,
      home_lon: drone.home.lon,
      alt: drone.altitudeM,
      speed: drone.speedMps,
      direction: drone.directionDeg,
      observed_at: drone.sentS,
    });
    const alert = { ...row, id: 'drone-alert', ...drone.home };
    const { lat, lon } = drone.operator;
    return {
      messages: [
        JSON.stringify({ drones: [row, alert] }),
        JSON.stringify({ ...row, observed_at: drone.sentS + 1 }),
        JSON.stringify({ latitude: lat, longitude: lon, gps_accuracy: 0 }),
      ],
      secrets: secretsOf(drone),
    };
  }),
};

const meshMapper: ParserSample = {
  name: 'mesh-mapper',
  make: makeMeshMapper,
  received: arbitraryDrone.map((drone) => {
    const known = { ...drone.place, mac: drone.mac, altitudeM: drone.altitudeM, pilot: drone.operator };
    return {
      messages: [meshMapperLine(known), meshMapperLine({ ...known, basicId: drone.serial })],
      secrets: secretsOf(drone),
    };
  }),
};

const pushRows: ParserSample = {
  name: 'push-rows',
  make: makePushRows,
  received: arbitraryDrone.map((drone) => {
    const row = {
      timestamp: new Date(drone.sentS * 1000).toISOString(),
      mac_address: drone.mac,
      longitude: drone.place.lon,
      latitude: drone.place.lat,
      altitude: drone.altitudeM,
      speed_mps: drone.speedMps,
      heading_deg: drone.directionDeg,
      self_id: drone.description,
      operator_id: drone.operatorId,
      operator_latitude: drone.operator.lat,
      operator_longitude: drone.operator.lon,
      station: { name: drone.sensor, latitude: drone.home.lat, longitude: drone.home.lon },
      emergency_state: drone.operatorId,
    };
    const rows = [{ ...row, uas_id: drone.serial }, { ...row, registration_id: drone.registration }, row];
    return { messages: [JSON.stringify(rows), JSON.stringify({ observations: rows })], secrets: secretsOf(drone) };
  }),
};

export const DRONE_SAMPLES: readonly ParserSample[] = [dronescout, dragonsync, meshMapper, pushRows];
