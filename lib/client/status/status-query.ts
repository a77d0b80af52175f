import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { type FailureReason, isReception } from '#lib/api/layer-reason.ts';
import { type ReadAnswer, readApiAnswer } from '#lib/api/read-api-answer.ts';
import { type PlannedArea, type StatusAnswer, statusAnswerSchema } from '#lib/api/status-answer.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { useLookout } from '../page/lookout-context.tsx';
import { LookoutRequestError, type LookoutRequestFailure } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

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

const POLL_MS = 5000;

export class StatusError extends Error {
  readonly kind: LookoutRequestFailure;
  /** First failure since the last answer; `undefined` if the time was unknown. */
  readonly since: UpstreamInstant | undefined;

  constructor(cause: LookoutRequestError, since: UpstreamInstant | undefined) {
    super(cause.message, { cause });
    this.kind = cause.kind;
    this.since = since;
  }
}

const key = ['status'] as const;

/**
 * The allowance and the refreshed areas, polled from Lookout's server. After a failure the last status ages. null before
 * the first answer.
 */
export function statusQuery(address: string, now: () => UpstreamInstant | undefined) {
  return queryOptions<AllowanceStatus | null, StatusError>({
    queryKey: key,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryState<AllowanceStatus | null, StatusError>(key)?.error;
      try {
        return allowanceStatus(await requestJson('GET', address, statusAnswerSchema, { signal }));
      } catch (error) {
        if (!(error instanceof LookoutRequestError)) throw error;
        throw new StatusError(error, before ? before.since : now());
      }
    },
    // Since there is always data, an error remains set until the next attempt has finished.
    initialData: null,
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
    ...FAILS_AT_ONCE,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

export function refreshStatus(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: key });
}

export interface ReportedStatus {
  readonly status: AllowanceStatus | undefined;
  readonly failure: StatusError | undefined;
}

/** @param enabled whether to poll while the tab is visible; otherwise the last status ages */
export function useStatus(enabled: boolean): ReportedStatus {
  const { feed } = useLookout();
  const { data, error } = useQuery({ ...statusQuery('/api/status', () => feed.now()), enabled });
  return { status: data ?? undefined, failure: error ?? undefined };
}
