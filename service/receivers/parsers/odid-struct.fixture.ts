/** Other fields have opendroneid-core-c's sentinels. */
export interface SaidByDrone {
  readonly basicIds?: readonly { readonly idType: number; readonly id: string | Uint8Array }[];
  readonly location?: Partial<SaidLocation> | undefined;
  readonly selfId?: string | undefined;
  readonly operator?: { readonly lat: number; readonly lon: number; readonly altitudeM: number } | undefined;
  readonly operatorId?: string | undefined;
}

export interface SaidLocation {
  readonly status: number;
  readonly directionDeg: number;
  readonly speedMps: number;
  readonly lat: number;
  readonly lon: number;
  readonly altitudeBaroM: number;
  readonly altitudeGeoM: number;
  readonly heightType: number;
  readonly heightM: number;
  readonly horizontalAccuracy: number;
  readonly sinceHourS: number;
}

export const UNKNOWN_LOCATION: SaidLocation = {
  status: 0,
  directionDeg: 361,
  speedMps: 255,
  lat: 0,
  lon: 0,
  altitudeBaroM: -1000,
  altitudeGeoM: -1000,
  heightType: 0,
  heightM: -1000,
  horizontalAccuracy: 0,
  sinceHourS: 65_535,
};

/** As a 64-bit C compiler lays out `ODID_UAS_Data`. A sensor's final NUL makes it 921 bytes. */
export function odidStruct({ basicIds = [], location, selfId, operator, operatorId }: SaidByDrone): Uint8Array {
  const bytes = new Uint8Array(921);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const place = (size: number) => {
    const start = Math.ceil(at / size) * size;
    at = start + size;
    return start;
  };
  const u8 = (value: number) => view.setUint8(place(1), value);
  const u16 = (value: number) => view.setUint16(place(2), value, true);
  const u32 = (value: number) => view.setUint32(place(4), value, true);
  const f32 = (value: number) => view.setFloat32(place(4), value, true);
  const f64 = (value: number) => view.setFloat64(place(8), value, true);
  const text = (value: string | Uint8Array, size: number) => {
    bytes.set((typeof value === 'string' ? Buffer.from(value, 'latin1') : value).subarray(0, size), at);
    at += size;
  };
  const align = (size: number) => {
    at = Math.ceil(at / size) * size;
  };

  for (const index of [0, 1]) {
    u32(2);
    u32(basicIds[index]?.idType ?? 0);
    text(basicIds[index]?.id ?? '', 21);
    align(4);
  }
  const said = { ...UNKNOWN_LOCATION, ...location };
  align(8);
  u32(said.status);
  for (const value of [said.directionDeg, said.speedMps, 63]) f32(value);
  for (const value of [said.lat, said.lon]) f64(value);
  for (const value of [said.altitudeBaroM, said.altitudeGeoM]) f32(value);
  u32(said.heightType);
  f32(said.heightM);
  for (const accuracy of [said.horizontalAccuracy, 0, 0, 0, 0]) u32(accuracy);
  f32(said.sinceHourS);
  for (let page = 0; page < 16; page += 1) {
    u8(0);
    u32(0);
    u8(0);
    u8(0);
    u32(0);
    text('', 24);
  }
  u32(0);
  text(selfId ?? '', 24);
  align(8);
  u32(1);
  u32(0);
  for (const value of [operator?.lat ?? 0, operator?.lon ?? 0]) f64(value);
  for (const value of [1, 0]) u16(value);
  for (const value of [-1000, -1000]) f32(value);
  for (const value of [0, 0]) u32(value);
  f32(operator?.altitudeM ?? -1000);
  u32(0);
  align(8);
  u32(0);
  text(operatorId ?? '', 21);
  align(4);
  for (const index of [0, 1]) u8(basicIds[index] ? 1 : 0);
  u8(location ? 1 : 0);
  for (let page = 0; page < 16; page += 1) u8(0);
  for (const part of [selfId, operator, operatorId]) u8(part === undefined ? 0 : 1);
  return bytes;
}
