import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';

/** One of the account's two allowances; `undefined` is "not known yet". */
export interface AllowanceLeft {
  readonly remaining: number | undefined;
  /** Part of `remaining` that is granted to requests which have not left yet. */
  readonly reserved: number;
  readonly size: number | undefined;
  readonly resetsAtMs: number;
}

/** How one layer stands with the upstream, for all operators of this server. */
type LayerAccess =
  | { readonly state: 'ok' | 'unknown' }
  | {
      readonly state: 'failing' | 'denied';
      readonly reason: FailureReason;
      readonly sinceMs: number | undefined;
      readonly untilMs: number | undefined;
    };

export interface RefreshedArea {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly viewers: number;
  /** Requests that one refresh takes. */
  readonly cost: number;
  readonly intervalMs: number;
  /** `undefined` before the first refresh. */
  readonly fetchedAtMs: number | undefined;
  /** `undefined` while a refresh is under way. */
  readonly nextAtMs: number | undefined;
  readonly reason: FailureReason | undefined;
  readonly untilMs: number | undefined;
}

/** What Lookout's server reported of the allowance. Times are milliseconds on the upstream's clock. */
export interface AllowanceStatus {
  readonly asOfMs: number;
  readonly minute: AllowanceLeft;
  readonly day: AllowanceLeft;
  readonly spentToday: number;
  readonly pacePerMinute: number | undefined;
  readonly pausedUntilMs: number | undefined;
  readonly keyRefused: boolean;
  readonly layers: Readonly<Record<Layer, LayerAccess>>;
  readonly viewers: number;
  readonly areas: readonly RefreshedArea[];
}

export function allowanceStatus(answer: StatusAnswer): AllowanceStatus {
  return {
    asOfMs: Date.parse(answer.as_of),
    minute: allowanceWindow(answer.minute),
    day: allowanceWindow(answer.day),
    spentToday: answer.spent_today,
    pacePerMinute: answer.pace_per_minute ?? undefined,
    pausedUntilMs: optionalTimeMs(answer.paused_until),
    keyRefused: answer.key_refused,
    layers: { rid: layerAccess(answer.layers.rid), adsb: layerAccess(answer.layers.adsb) },
    viewers: answer.viewers,
    areas: answer.areas.map(refreshedArea),
  };
}

function allowanceWindow(told: StatusAnswer['minute']): AllowanceLeft {
  return {
    remaining: told.remaining ?? undefined,
    reserved: told.reserved,
    size: told.size ?? undefined,
    resetsAtMs: Date.parse(told.resets_at),
  };
}

function layerAccess(answer: StatusAnswer['layers'][Layer]): LayerAccess {
  if (answer.reason === null) return { state: answer.state };
  const { state, reason, since, until } = answer;
  return { state, reason, sinceMs: optionalTimeMs(since), untilMs: optionalTimeMs(until) };
}

function refreshedArea(told: StatusAnswer['areas'][number]): RefreshedArea {
  return {
    layer: told.layer,
    bbox: boxFromCorners(told.bbox),
    viewers: told.viewers,
    cost: told.cost,
    intervalMs: told.interval_ms,
    fetchedAtMs: optionalTimeMs(told.fetched_at),
    nextAtMs: optionalTimeMs(told.next_at),
    reason: told.reason ?? undefined,
    untilMs: optionalTimeMs(told.until),
  };
}

function optionalTimeMs(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}
