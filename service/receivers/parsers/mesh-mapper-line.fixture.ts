/** The board writes 0 for all others. */
export interface KnownToBoard {
  readonly mac?: string;
  readonly lat?: number;
  readonly lon?: number;
  readonly altitudeM?: number;
  readonly pilot?: { readonly lat: number; readonly lon: number };
  readonly basicId?: string;
}

export function meshMapperLine(known: KnownToBoard): string {
  const { mac = 'd2:10:45:00:00:01', lat = 0, lon = 0, altitudeM = 0, pilot, basicId = '' } = known;
  const decimals = (value: number) => value.toFixed(6);
  return (
    `{"mac":"${mac}","rssi":-71,"drone_lat":${decimals(lat)},"drone_long":${decimals(lon)},` +
    `"drone_altitude":${Math.trunc(altitudeM)},"pilot_lat":${decimals(pilot?.lat ?? 0)},` +
    `"pilot_long":${decimals(pilot?.lon ?? 0)},"basic_id":"${basicId}"}\r\n`
  );
}
