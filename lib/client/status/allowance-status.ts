import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';

/** One of the account's two allowances; `undefined` is "not known yet". */
export interface AllowanceLeft {
  readonly remaining: number | undefined;
  /** Part of `remaining` that is granted to requests which have not left yet. */
  readonly reserved: number;
  readonly size: number | undefined;
  readonly resetsAt: UpstreamInstant;
}

/** How one layer stands with the upstream, for all operators of this server. */
type LayerAccess =
  | { readonly state: 'ok' | 'unknown' }
  | {
      readonly state: 'failing' | 'denied';
      readonly reason: FailureReason;
      readonly since: UpstreamInstant | undefined;
      readonly until: UpstreamInstant | undefined;
    };

export interface RefreshedArea {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly viewers: number;
  /** Requests that one refresh takes. */
  readonly cost: number;
  readonly intervalMs: number;
  /** `undefined` before the first refresh. */
  readonly fetchedAt: UpstreamInstant | undefined;
  /** `undefined` while a refresh is under way. */
  readonly nextAt: UpstreamInstant | undefined;
  readonly reason: FailureReason | undefined;
  readonly until: UpstreamInstant | undefined;
}

/** What Lookout's server reported of the allowance. */
export interface AllowanceStatus {
  readonly asOf: UpstreamInstant;
  readonly minute: AllowanceLeft;
  readonly day: AllowanceLeft;
  readonly spentToday: number;
  readonly pacePerMinute: number | undefined;
  readonly pausedUntil: UpstreamInstant | undefined;
  readonly keyRefused: boolean;
  readonly layers: Readonly<Record<Layer, LayerAccess>>;
  readonly viewers: number;
  readonly areas: readonly RefreshedArea[];
}

export function allowanceStatus(answer: StatusAnswer): AllowanceStatus {
  return {
    asOf: instantOf(answer.as_of),
    minute: allowanceWindow(answer.minute),
    day: allowanceWindow(answer.day),
    spentToday: answer.spent_today,
    pacePerMinute: answer.pace_per_minute ?? undefined,
    pausedUntil: optionalInstant(answer.paused_until),
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
    resetsAt: instantOf(told.resets_at),
  };
}

function layerAccess(answer: StatusAnswer['layers'][Layer]): LayerAccess {
  if (answer.reason === null) return { state: answer.state };
  const { state, reason, since, until } = answer;
  return { state, reason, since: optionalInstant(since), until: optionalInstant(until) };
}

function refreshedArea(told: StatusAnswer['areas'][number]): RefreshedArea {
  return {
    layer: told.layer,
    bbox: boxFromCorners(told.bbox),
    viewers: told.viewers,
    cost: told.cost,
    intervalMs: told.interval_ms,
    fetchedAt: optionalInstant(told.fetched_at),
    nextAt: optionalInstant(told.next_at),
    reason: told.reason ?? undefined,
    until: optionalInstant(told.until),
  };
}

function optionalInstant(text: string | null): UpstreamInstant | undefined {
  return text === null ? undefined : instantOf(text);
}
