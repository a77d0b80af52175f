import type { Envelope } from '#lib/contract/envelope.ts';
import { CONTRACT_VERSION } from '#lib/contract/limits.ts';
import { upstreamHistoryQuery, upstreamLiveQuery } from '#lib/contract/query.ts';
import type { WireReception, WireReceptionStretch } from '#lib/contract/reception.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Account } from '../accounts/account.ts';
import { authoriseLookback } from '../accounts/authorise.ts';
import { Refusal } from '../http/refusal.ts';
import type { ReferenceOf } from '../references/reference-cache.ts';
import type { Reception, Source } from '../sources/observation.ts';
import type { Cursors } from '../store/cursors.ts';
import { readHistoryWindow } from '../store/history-window.ts';
import { livePage } from '../store/live-page.ts';
import { makeLiveSnapshots } from '../store/live-snapshots.ts';
import { wireRecord } from '../wire/wire-record.ts';
import { readQuery } from './read-query.ts';
import type { Operation } from './request-target.ts';

interface AuthorisedRequest {
  readonly requestId: string;
  readonly account: Account;
  readonly query: string;
  readonly now: UpstreamInstant;
}

/** Throws a 400 for an invalid query, and a 403 for a window outside the lookback. */
export type RunOperation = (operation: Operation, request: AuthorisedRequest) => Promise<Envelope>;

const CONTINUATION =
  'If truncated is true, request smaller half-open windows (for example both halves of this one), and smaller bounds if a single timestamp is too dense.';

export function makeRunOperation(parts: {
  readonly source: Source;
  readonly prefix: string;
  readonly referenceOf: ReferenceOf;
  readonly cursors: Cursors;
}): RunOperation {
  const { source, prefix, referenceOf, cursors } = parts;
  const snapshots = makeLiveSnapshots(source, referenceOf);
  const liveQuery = upstreamLiveQuery(prefix);

  const runLive: RunOperation = async (operation, { account, query, now, requestId }) => {
    const { bbox, limit, cursor } = readQuery(query, ['bbox', 'limit', 'cursor'], liveQuery);
    const paged = { accountId: account.id, layer: operation.layer, bbox, limit };
    const after = cursor === undefined ? undefined : cursors.resolve(cursor, paged, now);
    if (cursor !== undefined && after === undefined) {
      throw new Refusal('invalid_request', 'cursor must be the next_cursor of the previous page of the same query');
    }
    const page = livePage(snapshots(operation.layer, bbox, now), after, limit, now);
    return {
      ...opening(operation, requestId, now),
      data: page.entries.map(({ reference, observation }) => wireRecord('live', reference, observation)),
      next_cursor: page.nextAfter === undefined ? null : cursors.issue(paged, page.nextAfter, now),
      truncated: false,
      ...(source.reception && { reception: wireReception(source.reception(operation.layer, bbox, now)) }),
    };
  };

  const runHistory: RunOperation = async (operation, { account, query, now, requestId }) => {
    const parameters = readQuery(query, ['bbox', 'start', 'end', 'limit'], upstreamHistoryQuery(now));
    authoriseLookback(account, parameters.window, now);
    refuseWhatWasDeleted(source, parameters.window);
    const { entries, truncated } = await readHistoryWindow(source, referenceOf, {
      ...parameters,
      layer: operation.layer,
    });
    return {
      ...opening(operation, requestId, now),
      data: entries.map(({ reference, observation }) => wireRecord('history', reference, observation)),
      next_cursor: null,
      truncated,
      continuation: CONTINUATION,
      ...(await pastReception(source, operation.layer, parameters)),
    };
  };

  return (operation, request) => (operation.mode === 'live' ? runLive : runHistory)(operation, request);
}

async function pastReception(
  source: Source,
  layer: Operation['layer'],
  { bbox, window }: { readonly bbox: Bbox; readonly window: Window },
): Promise<{ readonly reception?: { readonly stretches: readonly WireReceptionStretch[] } }> {
  if (!source.pastReception) return {};
  const stretches = await source.pastReception(layer, bbox, window);
  return {
    reception: {
      stretches: stretches.map(({ from, to, state }) => ({ from: formatInstant(from), to: formatInstant(to), state })),
    },
  };
}

function wireReception({ state, since, receivers, receiving }: Reception): WireReception {
  return { state, since: since === undefined ? null : formatInstant(since), receivers, receiving };
}

/** An empty answer would say that nothing was received. */
function refuseWhatWasDeleted(source: Source, window: Window): void {
  const since = source.keptSince?.();
  if (since === undefined || window.start >= since) return;
  throw new Refusal('outside_lookback', `History is kept since ${formatInstant(since)} only: use a later start.`);
}

function opening({ layer, mode }: Operation, requestId: string, now: UpstreamInstant) {
  return {
    version: CONTRACT_VERSION,
    request_id: requestId,
    generated_at: formatInstant(now),
    layer,
    mode,
  } satisfies Partial<Envelope>;
}
