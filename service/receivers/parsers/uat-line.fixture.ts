import { EPOCH_S } from './readsb-row.fixture.ts';

export function uatLine(change: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    address: 'a66ef1',
    address_qualifier: 'adsb_icao',
    airground_state: 'airborne',
    callsign: 'N512RD',
    east_velocity: 60,
    emergency: 'none',
    emitter_category: 'A1',
    flightplan_id: '1200',
    geometric_altitude: 5200,
    ground_speed: 100,
    metadata: { errors: 0, received_at: EPOCH_S + 1.5, rssi: -12.3 },
    mops_version: 2,
    nac_p: 10,
    nic: 9,
    north_velocity: -80,
    position: { lat: 38.12345, lon: -93.54321 },
    pressure_altitude: 5000,
    sil: 3,
    true_track: 143.1,
    ...change,
  });
}
