import { type FailureReason, isReception } from '#lib/api/layer-reason.ts';
import type { RefreshReason } from '#lib/api/refresh-reason.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';

/** `undefined` means "not known yet". */
export interface ReportedAllowance {
  readonly remaining: number | undefined;
  /** Part of `remaining` reserved for unsent requests. */
  readonly reserved: number;
  readonly size: number | undefined;
  readonly resetsAt: UpstreamInstant;
}

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
  readonly cost: number;
  /** `undefined` where areas are read whenever they change, and for a new area that waits for its turn. */
  readonly intervalMs: number | undefined;
  /** `undefined` before the first refresh. */
  readonly fetchedAt: UpstreamInstant | undefined;
  /** Why it is not refreshed now; `undefined` while it is, or is about to be. */
  readonly reason: RefreshReason | undefined;
  /** Next refresh or retry; `undefined` where unknown. */
  readonly until: UpstreamInstant | undefined;
}

export interface AllowanceStatus {
  readonly asOf: UpstreamInstant;
  /** False over the embedded service, which counts nothing. */
  readonly hasAllowance: boolean;
  readonly minute: ReportedAllowance;
  readonly day: ReportedAllowance;
  readonly spentToday: number;
  readonly pacePerMinute: number | undefined;
  readonly pausedUntil: UpstreamInstant | undefined;
  /** While the day is used up: when that is checked, or ends. */
  readonly usedUpUntil: UpstreamInstant | undefined;
  readonly keyRefused: boolean;
  readonly layers: Readonly<Record<Layer, LayerAccess>>;
  readonly viewers: number;
  readonly areas: readonly RefreshedArea[];
  /** `undefined` for a single server. */
  readonly servers: NonNullable<StatusAnswer['servers']> | undefined;
}

export function allowanceStatus(answer: StatusAnswer): AllowanceStatus {
  return {
    asOf: instantOf(answer.as_of),
    hasAllowance: answer.has_allowance,
    minute: reportedAllowance(answer.minute),
    day: reportedAllowance(answer.day),
    spentToday: answer.spent_today,
    pacePerMinute: answer.pace_per_minute ?? undefined,
    pausedUntil: optionalInstant(answer.paused_until),
    usedUpUntil: optionalInstant(answer.used_up_until),
    keyRefused: answer.key_refused,
    layers: { rid: layerAccess(answer.layers.rid), adsb: layerAccess(answer.layers.adsb) },
    viewers: answer.viewers,
    areas: answer.areas.map(refreshedArea),
    servers: answer.servers ?? undefined,
  };
}

function reportedAllowance(reported: StatusAnswer['minute']): ReportedAllowance {
  return {
    remaining: reported.remaining ?? undefined,
    reserved: reported.reserved,
    size: reported.size ?? undefined,
    resetsAt: instantOf(reported.resets_at),
  };
}

function layerAccess(answer: StatusAnswer['layers'][Layer]): LayerAccess {
  if (answer.reason === null) return { state: answer.state };
  const { state, reason, since, until } = answer;
  // The requests themselves succeed.
  if (isReception(reason) || state === 'partly' || state === 'unequipped') return { state: 'ok' };
  return { state, reason, since: optionalInstant(since), until: optionalInstant(until) };
}

function refreshedArea(reported: StatusAnswer['areas'][number]): RefreshedArea {
  return {
    layer: reported.layer,
    bbox: boxFromCorners(reported.bbox),
    viewers: reported.viewers,
    cost: reported.cost,
    intervalMs: reported.interval_ms ?? undefined,
    fetchedAt: optionalInstant(reported.fetched_at),
    reason: reported.reason ?? undefined,
    until: optionalInstant(reported.until),
  };
}

function optionalInstant(text: string | null): UpstreamInstant | undefined {
  return text === null ? undefined : instantOf(text);
}
