import type { UpstreamInstant } from '#lib/time/instant.ts';

/** No column has more steps: about 10,000 km in 0.01 m. The difference of any two fits 32 bits. */
export const MAX_STEPS = 2 ** 30 - 1;

type NumberUnit = 'deg' | 'm' | 'mps' | '1';

interface NumberField {
  readonly wire: string;
  readonly is: 'coordinate' | 'measure';
  readonly unit: NumberUnit;
  readonly stepsPerUnit: number;
  /** The type in which a replay's rows store it (observation-rows.ts). */
  readonly row: 'int32' | 'int16' | 'float32';
  /** Remote ID's "unknown" (ASTM F3411), which some feeds pass through. */
  readonly unknownInRid?: number;
}

/** `wire` is the name in the contract and in the app's JSON. */
type RecordField =
  | NumberField
  | { readonly wire: string; readonly is: 'reference' | 'instant' | 'expiry' | 'label' }
  | { readonly wire: string; readonly is: 'kind' | 'flag'; readonly bit: number };

/**
 * Wire format, columns, stores and JSON follow from this table and its order
 * (docs/decisions/0001-define-each-field-once-per-side.md).
 */
export const RECORD_FIELDS = {
  /** A track's handle, which rotates and is no identity. */
  ref: { wire: 'public_track_id', is: 'reference' },
  kind: { wire: 'track_kind', is: 'kind', bit: 4 },
  observedAt: { wire: 'observed_at', is: 'instant' },
  /** `undefined` if the record has none. */
  staleAfter: { wire: 'stale_after', is: 'expiry' },
  lon: { wire: 'longitude', is: 'coordinate', unit: 'deg', stepsPerUnit: 1e6, row: 'int32' },
  lat: { wire: 'latitude', is: 'coordinate', unit: 'deg', stepsPerUnit: 1e6, row: 'int32' },
  /** Reported or normalised, of unknown reference datum. Never mix it with `heightAglM`. */
  altitudeM: { wire: 'altitude_m', is: 'measure', unit: 'm', stepsPerUnit: 100, row: 'int32', unknownInRid: -1000 },
  heightAglM: { wire: 'height_agl_m', is: 'measure', unit: 'm', stepsPerUnit: 100, row: 'int32', unknownInRid: -1000 },
  speedMps: { wire: 'speed_mps', is: 'measure', unit: 'mps', stepsPerUnit: 100, row: 'int32', unknownInRid: 255 },
  headingDeg: { wire: 'heading_deg', is: 'measure', unit: 'deg', stepsPerUnit: 10, row: 'int16', unknownInRid: 361 },
  /** The score is not a probability. */
  confidenceScore: {
    wire: 'confidence_score',
    is: 'measure',
    unit: '1',
    stepsPerUnit: 1e6,
    row: 'float32',
  },
  receiverCount: { wire: 'receiver_count', is: 'measure', unit: '1', stepsPerUnit: 1, row: 'int16' },
  /** A label of any text. */
  confidence: { wire: 'confidence', is: 'label' },
  /** `unknown` is not an all-clear. */
  emergencyState: { wire: 'emergency_state', is: 'label' },
  simulated: { wire: 'simulated', is: 'flag', bit: 1 },
  testBroadcast: { wire: 'test_broadcast', is: 'flag', bit: 2 },
} as const satisfies Record<string, RecordField>;

type Fields = typeof RECORD_FIELDS;
export type FieldName = keyof Fields;
export type FieldKind = Fields[FieldName]['is'];
export type WireName<Name extends FieldName> = Fields[Name]['wire'];

type NamesOf<Kind extends FieldKind> = {
  [Name in FieldName]: Fields[Name]['is'] extends Kind ? Name : never;
}[FieldName];
export type MeasureName = NamesOf<'measure'>;
export type NumberName = NamesOf<'coordinate' | 'measure'>;
export type LabelName = NamesOf<'label'>;
export type FlagName = NamesOf<'flag'>;

interface ValueOfKind {
  reference: string;
  kind: 'drone' | 'aircraft';
  instant: UpstreamInstant;
  expiry: UpstreamInstant | undefined;
  coordinate: number;
  measure: number | undefined;
  label: string | undefined;
  flag: boolean;
}

export type RecordValues = { readonly [Name in FieldName]: ValueOfKind[Fields[Name]['is']] };

function namesOf<Kind extends FieldKind>(...kinds: readonly Kind[]): readonly NamesOf<Kind>[] {
  const isOfKind = (name: FieldName): name is NamesOf<Kind> => kinds.some((kind) => kind === RECORD_FIELDS[name].is);
  return FIELD_NAMES.filter(isOfKind);
}

export const FIELD_NAMES = Object.keys(RECORD_FIELDS) as readonly FieldName[];
export const MEASURE_NAMES = namesOf('measure');
export const NUMBER_NAMES = namesOf('coordinate', 'measure');
export const LABEL_NAMES = namesOf('label');
export const FLAG_NAMES = namesOf('flag');

export function numberField(name: NumberName): NumberField {
  return RECORD_FIELDS[name];
}

export const FLAG_DRONE = RECORD_FIELDS.kind.bit;
export const FLAG_SIMULATED = RECORD_FIELDS.simulated.bit;
export const FLAG_TEST = RECORD_FIELDS.testBroadcast.bit;
/** The first unused bit, from which a mark's style adds its own. */
export const FLAGS_END = 2 * Math.max(FLAG_DRONE, ...FLAG_NAMES.map((name) => RECORD_FIELDS[name].bit));

/** One value for each name. Keys are created in the order of the names. */
export function byName<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  const values = {} as Record<Name, T>;
  for (const name of names) values[name] = make(name);
  return values;
}

export function byWireName<Name extends FieldName, T>(
  names: readonly Name[],
  make: (name: Name) => T,
): Record<WireName<Name>, T> {
  const values: Partial<Record<string, T>> = {};
  for (const name of names) values[RECORD_FIELDS[name].wire] = make(name);
  return values as Record<WireName<Name>, T>;
}
