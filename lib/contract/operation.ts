/** The two layers: drone Remote ID and aircraft ADS-B (What the service does). */
export const LAYERS = ['rid', 'adsb'] as const;
export type Layer = (typeof LAYERS)[number];

/** The two modes: current positions, and retained observations of a past window (What the service does). */
export const MODES = ['live', 'history'] as const;
export type Mode = (typeof MODES)[number];

/** Authentication: the four scopes. The endpoint table gives live_adsb's scope as "the service"; the scope list says adsb.live. */
export type Scope = `${Layer}.${Mode}`;

export function scopeOf(mode: Mode, layer: Layer): Scope {
  return `${layer}.${mode}`;
}

/** Path of an operation below the base address, which carries the version segment (Endpoints). */
export function operationPath(mode: Mode, layer: Layer): `/${Mode}/${Layer}` {
  return `/${mode}/${layer}`;
}

/** The operation ids (Endpoints). */
export const OPERATION_IDS = ['live_rid', 'live_adsb', 'history_rid', 'history_adsb'] as const;
export type OperationId = (typeof OPERATION_IDS)[number];

export function operationId(mode: Mode, layer: Layer): OperationId {
  return `${mode}_${layer}`;
}

/** Response headers (200). */
export const REQUEST_ID_HEADER = 'x-request-id';
export const MINUTE_REMAINING_HEADER = 'x-ratelimit-remaining';
export const DAY_REMAINING_HEADER = 'x-dailylimit-remaining';
