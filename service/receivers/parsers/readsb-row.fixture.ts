export const EPOCH_S = 1_795_435_200;

export function readsbRow(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const row: Record<string, unknown> = {
    hex: '3c66b0',
    type: 'adsb_icao',
    flight: 'DLH4AB  ',
    r: 'D-AIZQ',
    t: 'A320',
    desc: 'AIRBUS A-320',
    ownOp: 'Example Air',
    year: '2012',
    alt_baro: 37_000,
    alt_geom: 38_000,
    gs: 450.5,
    track: 121.25,
    baro_rate: -64,
    squawk: '1000',
    emergency: 'none',
    category: 'A3',
    lat: 47.123456,
    lon: 8.654321,
    nic: 8,
    rc: 186,
    seen_pos: 0.25,
    r_dst: 12.345,
    r_dir: 271.5,
    version: 2,
    nac_p: 9,
    sil: 3,
    mlat: [],
    tisb: [],
    messages: 1234,
    seen: 0.1,
    rssi: -21.5,
    ...change,
  };
  for (const [key, value] of Object.entries(row)) if (value === undefined) delete row[key];
  return row;
}
