import { LAYERS } from '#lib/contract/operation.ts';
import { type Fix, POSITION_ORIGINS, type TrackKey } from '../fix.ts';
import type { TimedFix } from '../fusion/gate.ts';

/** Numbers of a fix that it may not report: NaN. */
const REPORTED = ['altitudeM', 'heightAglM', 'speedMps', 'headingDeg', 'accuracyM'] as const;
const TIMES = ['feedTimeMs', 'trackTimeMs'] as const;
const DOUBLES = 4 + REPORTED.length + TIMES.length;
const DOUBLE_BYTES = 8;
const STATE_BYTES = 2;
const KEY_BYTES = 16;
/** Of each fix: numbers; its emergency state; its key; layer, origin and two flags in a byte. */
export const FIX_BYTES = DOUBLES * DOUBLE_BYTES + STATE_BYTES + KEY_BYTES + 1;

const ON_GROUND = 1;
const TEST_BROADCAST = 2;
const TIME_MAX_MS = 8.64e15;

interface Columns {
  readonly doubles: readonly Float64Array[];
  readonly states: Uint16Array;
  readonly keys: Buffer;
  readonly codes: Uint8Array;
}

function columnsOf(buffer: ArrayBuffer): Columns {
  const count = buffer.byteLength / FIX_BYTES;
  const statesAt = DOUBLES * count * DOUBLE_BYTES;
  const keysAt = statesAt + count * STATE_BYTES;
  return {
    doubles: Array.from({ length: DOUBLES }, (_, each) => new Float64Array(buffer, each * count * DOUBLE_BYTES, count)),
    states: new Uint16Array(buffer, statesAt, count),
    keys: Buffer.from(buffer, keysAt, count * KEY_BYTES),
    codes: new Uint8Array(buffer, keysAt + count * KEY_BYTES, count),
  };
}

/** One column after the other, in the byte order of the machine, which is the same one everywhere. @param states those that occur are added */
export function writeFixColumns(fixes: readonly TimedFix[], states: string[]): Uint8Array {
  const buffer = new ArrayBuffer(fixes.length * FIX_BYTES);
  const columns = columnsOf(buffer);
  const [lons, lats, observed, slacks, ...others] = columns.doubles as [Float64Array, ...Float64Array[]];
  const codeOfState = new Map<string | null, number>([[null, 0]]);
  for (const [row, { fix, observedMs, slackMs }] of fixes.entries()) {
    lons[row] = fix.lon;
    lats![row] = fix.lat;
    observed![row] = observedMs;
    slacks![row] = slackMs;
    for (const [each, name] of REPORTED.entries()) others[each]![row] = fix[name] ?? Number.NaN;
    for (const [each, name] of TIMES.entries()) others[REPORTED.length + each]![row] = fix[name] ?? Number.NaN;
    let state = codeOfState.get(fix.emergencyState);
    if (state === undefined) {
      state = states.push(fix.emergencyState!);
      codeOfState.set(fix.emergencyState, state);
    }
    columns.states[row] = state;
    columns.keys.write(fix.trackKey, row * KEY_BYTES, KEY_BYTES, 'hex');
    const kind = LAYERS.indexOf(fix.layer) * POSITION_ORIGINS.length + POSITION_ORIGINS.indexOf(fix.origin);
    columns.codes[row] = 4 * kind + (fix.onGround ? ON_GROUND : 0) + (fix.testBroadcast ? TEST_BROADCAST : 0);
  }
  return new Uint8Array(buffer);
}

/** Throws a RangeError if something is no fix. @param bytes whole fixes */
export function readFixColumns(bytes: Uint8Array, states: readonly string[]): TimedFix[] {
  // A copy begins where numbers may.
  const columns = columnsOf(new Uint8Array(bytes).buffer);
  const keys = columns.keys.toString('hex');
  const fixes: TimedFix[] = [];
  for (let row = 0; row < columns.codes.length; row += 1) fixes.push(fixAt(columns, keys, states, row));
  return fixes;
}

function fixAt({ doubles, states: stateCodes, codes }: Columns, keys: string, states: readonly string[], row: number) {
  const at = (column: number, min: number, max: number): number => {
    const value = doubles[column]![row]!;
    if (value >= min && value <= max) return value;
    throw new RangeError(`no fix has ${value}`);
  };
  const reported = (each: number) => {
    const value = doubles[4 + each]![row]!;
    return Number.isFinite(value) ? value : undefined;
  };
  const code = codes[row]!;
  const kind = code >> 2;
  const layer = LAYERS[Math.floor(kind / POSITION_ORIGINS.length)];
  const stateCode = stateCodes[row]!;
  if (layer === undefined || stateCode > states.length) throw new RangeError('no fix has this code');
  const fix: Fix = {
    layer,
    trackKey: keys.slice(row * 2 * KEY_BYTES, (row + 1) * 2 * KEY_BYTES) as TrackKey,
    lon: at(0, -180, 180),
    lat: at(1, -90, 90),
    altitudeM: reported(0) ?? null,
    heightAglM: reported(1) ?? null,
    speedMps: reported(2) ?? null,
    headingDeg: reported(3) ?? null,
    accuracyM: reported(4) ?? null,
    feedTimeMs: reported(5),
    trackTimeMs: reported(6),
    onGround: (code & ON_GROUND) !== 0,
    testBroadcast: (code & TEST_BROADCAST) !== 0,
    origin: POSITION_ORIGINS[kind % POSITION_ORIGINS.length]!,
    emergencyState: stateCode === 0 ? null : states[stateCode - 1]!,
  };
  return { fix, observedMs: at(2, 0, TIME_MAX_MS), slackMs: at(3, 0, TIME_MAX_MS) };
}
