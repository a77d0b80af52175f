import { type FailureReason, isReception } from '#lib/api/layer-reason.ts';
import { type ReadAnswer, readApiAnswer } from '#lib/api/read-api-answer.ts';
import type { PlannedArea, StatusAnswer } from '#lib/api/status-answer.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** The server's answer about its requests, as the page reads it. `undefined`: not known yet. */
export interface AllowanceStatus extends Omit<ReadAnswer<StatusAnswer>, 'layers'> {
  readonly layers: Readonly<Record<Layer, LayerAccess>>;
}

export type ReportedAllowance = AllowanceStatus['minute'];

export type RefreshedArea = Omit<ReadAnswer<PlannedArea>, 'records'>;

type LayerAccess =
  | { readonly state: 'ok' | 'unknown' }
  | {
      readonly state: 'failing' | 'denied';
      readonly reason: FailureReason;
      readonly since: UpstreamInstant | undefined;
      readonly until: UpstreamInstant | undefined;
    };

export function allowanceStatus(answer: StatusAnswer): AllowanceStatus {
  const { layers, ...status } = readApiAnswer(answer);
  return { ...status, layers: { rid: layerAccess(layers.rid), adsb: layerAccess(layers.adsb) } };
}

function layerAccess(layer: ReadAnswer<StatusAnswer>['layers'][Layer]): LayerAccess {
  if (layer.reason === undefined) return { state: layer.state };
  const { state, reason, since, until } = layer;
  // Requests succeed where only reception is incomplete.
  if (isReception(reason) || state === 'partly' || state === 'unequipped') return { state: 'ok' };
  return { state, reason, since, until };
}
