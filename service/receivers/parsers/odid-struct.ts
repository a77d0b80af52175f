import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { RefusalCause } from '../fix.ts';
import { readLonLat } from './aircraft-value.ts';
import {
  bytesDroneId,
  claimedAccuracyM,
  type DroneId,
  type DronePosition,
  knownAltitudeM,
  knownHeadingDeg,
  knownSpeedMps,
  saysTest,
  textDroneId,
  trackTimeMs,
} from './remote-id.ts';

/**
 * The offsets in `ODID_UAS_Data` (opendroneid-core-c, `opendroneid.h`), 64-bit little-endian: enums have 4 bytes,
 * doubles are aligned to 8. The operator's place and name are not read.
 */
const ODID_OFFSETS = {
  basicId: [0, 32],
  location: 64,
  selfId: 776,
  basicIdValid: [892, 893],
  locationValid: 894,
  selfIdValid: 911,
} as const;

/** The length up to the last flag. Sensors append one byte or padding. */
const MIN_LENGTH = 914;
const MAX_LENGTH = 1024;

export interface OdidData {
  readonly ids: readonly DroneId[];
  readonly position: DronePosition | RefusalCause;
  readonly saysTest: boolean | undefined;
}

/** Reads DroneScout's `UASdata`. @returns `undefined` if it is no such struct */
export function readOdidStruct(bytes: Uint8Array, receivedAt: UpstreamInstant): OdidData | undefined {
  if (bytes.length < MIN_LENGTH || bytes.length > MAX_LENGTH) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids: DroneId[] = [];
  for (const [index, at] of ODID_OFFSETS.basicId.entries()) {
    const id = view.getUint8(ODID_OFFSETS.basicIdValid[index]!) === 0 ? undefined : readBasicId(view, at);
    if (id) ids.push(id);
  }
  const located = view.getUint8(ODID_OFFSETS.locationValid) !== 0;
  const described = view.getUint8(ODID_OFFSETS.selfIdValid) !== 0;
  return {
    ids,
    position: located ? readLocation(view, ODID_OFFSETS.location, receivedAt) : 'no_position',
    saysTest: described ? saysTest(latin1(bytesAt(view, ODID_OFFSETS.selfId + 4, 24))) : undefined,
  };
}

function readBasicId(view: DataView, at: number): DroneId | undefined {
  const bytes = bytesAt(view, at + 8, 20);
  switch (view.getUint32(at + 4, true)) {
    case 1:
      return textDroneId('serial', latin1(bytes));
    case 2:
      return textDroneId('registration', latin1(bytes));
    case 3:
      return bytesDroneId('uuid', bytes);
    case 4:
      return bytesDroneId('session', bytes);
    default:
      return undefined;
  }
}

const STATUS_GROUND = 1;
const STATUS_EMERGENCY = 3;
const HEIGHT_ABOVE_GROUND = 1;

function readLocation(view: DataView, at: number, receivedAt: UpstreamInstant): DronePosition | RefusalCause {
  const code = (offset: number) => view.getUint32(at + offset, true);
  const float = (offset: number) => view.getFloat32(at + offset, true);
  const position = readLonLat(view.getFloat64(at + 24, true), view.getFloat64(at + 16, true));
  if (typeof position === 'string') return position;
  const status = code(0);
  return {
    ...position,
    trackTimeMs: trackTimeMs(float(68), receivedAt),
    altitudeM: knownAltitudeM(float(36)) ?? knownAltitudeM(float(32)),
    heightAglM: code(40) === HEIGHT_ABOVE_GROUND ? knownAltitudeM(float(44)) : null,
    speedMps: knownSpeedMps(float(8)),
    headingDeg: knownHeadingDeg(float(4)),
    onGround: status === STATUS_GROUND,
    origin: 'broadcast',
    accuracyM: claimedAccuracyM(code(48)),
    emergencyState: status === STATUS_EMERGENCY ? 'emergency' : null,
  };
}

function bytesAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length);
}

/** Reads a text up to NUL. Latin-1 accepts any byte, so that a stray one loses no id. */
function latin1(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
