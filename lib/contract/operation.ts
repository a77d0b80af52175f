/** `rid` is Remote ID of drones, `adsb` is ADS-B of aircraft. */
export const LAYERS = ['rid', 'adsb'] as const;
export type Layer = (typeof LAYERS)[number];

export const MODES = ['live', 'history'] as const;
export type Mode = (typeof MODES)[number];

/** Authentication. The endpoint table names live_adsb's scope "the service"; the scope list says adsb.live. */
export type Scope = `${Layer}.${Mode}`;

export function scopeOf(mode: Mode, layer: Layer): Scope {
  return `${layer}.${mode}`;
}

/** Below the base address, which has the version (Endpoints). */
export function operationPath(mode: Mode, layer: Layer): `/${Mode}/${Layer}` {
  return `/${mode}/${layer}`;
}

export const OPERATION_IDS = ['live_rid', 'live_adsb', 'history_rid', 'history_adsb'] as const;
export type OperationId = (typeof OPERATION_IDS)[number];

export function operationId(mode: Mode, layer: Layer): OperationId {
  return `${mode}_${layer}`;
}

/** Section "Response headers (200)". */
export const UPSTREAM_REQUEST_ID_HEADER = 'x-request-id';
export const MINUTE_REMAINING_HEADER = 'x-ratelimit-remaining';
export const DAY_REMAINING_HEADER = 'x-dailylimit-remaining';
