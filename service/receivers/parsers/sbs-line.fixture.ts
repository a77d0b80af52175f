interface SbsFields {
  readonly type?: string;
  readonly kind?: number;
  readonly hex?: string;
  readonly received?: string;
  readonly sent?: string;
  readonly callsign?: string;
  readonly altitude?: string | number;
  readonly speed?: string | number;
  readonly track?: string | number;
  readonly lat?: string | number;
  readonly lon?: string | number;
  readonly squawk?: string;
  readonly alert?: string;
  readonly emergency?: string;
  readonly ground?: string;
}

export function sbsLine(fields: SbsFields = {}): string {
  const of = (name: keyof SbsFields, fallback = '') => String(fields[name] ?? fallback);
  return [
    of('type', 'MSG'),
    of('kind', '3'),
    '1',
    '1',
    of('hex', '3C66B0'),
    '1',
    of('received', '2026/11/23,12:00:01.250'),
    of('sent', '2026/11/23,12:00:01.300'),
    of('callsign'),
    of('altitude'),
    of('speed'),
    of('track'),
    of('lat'),
    of('lon'),
    '',
    of('squawk'),
    of('alert'),
    of('emergency'),
    '',
    of('ground'),
  ].join(',');
}
