import 'server-only';
import type { ExportFormat } from '#lib/api/export-format.ts';
import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { corners } from '#lib/geo/corners.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { counts } from '../allowance/counts.ts';
import type { Actor } from '../audit/audit-row.ts';
import type { LoadEvent } from '../history/history-load.ts';
import { deadline } from '../machine.ts';
import { runtime } from '../runtime.ts';
import { actorOf, queryWithinRole, type Viewer } from './viewer.ts';

type Outcome = Extract<AuditEvent, { kind: 'past_loaded' }>['outcome'];

/**
 * Records the load in the audit at its end.
 * @param paid is called once, with the requests that the load may have made
 * @throws ApiError for a window or area that cannot be loaded, or for too many loads; neither is recorded
 */
export function loadWithAudit(
  actor: Actor,
  query: HistoryQuery,
  signal: AbortSignal,
  format: ExportFormat | null = null,
  paid?: (requests: number) => Promise<void>,
): AsyncIterable<LoadEvent> {
  const { audit, history } = runtime();
  const { bbox, layers, window } = query;
  const events = history.load(query, actor.operator?.id ?? 'local', signal);
  return followed(events, signal, async (requests, outcome) => {
    if (outcome !== undefined) {
      counts().loads[outcome]++;
      audit.record(actor, {
        kind: 'past_loaded',
        bbox: corners(bbox),
        layers: [...layers],
        start: formatInstant(window.start),
        end: formatInstant(window.end),
        requests,
        outcome,
        format,
      });
    }
    await paid?.(requests + (outcome === 'left' || outcome === 'failed' ? UNDER_WAY : 0));
  });
}

/** Parts that are under way when a client leaves: they may be requested, and be counted nowhere. */
const UNDER_WAY = 2;

/** The past as the caller of a route may load it, each load with its entry in the audit. */
export function pastOf(call: Parameters<typeof actorOf>[0] & { readonly viewer: Viewer }) {
  return (query: HistoryQuery, signal: AbortSignal): AsyncIterable<LoadEvent> =>
    loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), signal);
}

/**
 * The past as a route streams it. A token pays for it in advance, and gets back what was not requested.
 * @returns what begins the load; it throws as `loadWithAudit`
 */
export async function pricedPastOf(
  call: Parameters<typeof actorOf>[0] & { readonly viewer: Viewer },
  query: HistoryQuery,
): Promise<(signal: AbortSignal) => AsyncIterable<LoadEvent>> {
  const { token } = call.viewer;
  if (!token) return (signal) => pastOf(call)(query, signal);
  const { readTokens, clock } = runtime();
  const day = formatInstant(clock.now()).slice(0, 10);
  const maxRequests = await readTokens.takeHistory(token.id, query.maxRequests ?? Number.POSITIVE_INFINITY, day);
  const paid = (requests: number) => readTokens.returnHistory(token.id, maxRequests - requests, day);
  if (call.request.signal.aborted) await paid(0);
  return (signal) => {
    try {
      return loadWithAudit(actorOf(call), { ...query, maxRequests }, signal, null, paid);
    } catch (error) {
      void paid(0);
      throw error;
    }
  };
}

/** The limit is below common timeouts of proxies. */
const ANSWER_MAX_MS = 50 * SECOND_MS;

/** @param run gets `left`, which ends with the client, and `signal`, which also ends in time for an answer */
export async function inTime<Answer>(
  { signal: left }: Request,
  run: (until: { readonly left: AbortSignal; readonly signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  const { signal, end } = deadline(left, ANSWER_MAX_MS);
  try {
    return await run({ left, signal });
  } finally {
    end();
  }
}

/** @param ended is called once, also after a disconnect; `undefined`: the load did not begin */
function followed(
  events: AsyncIterable<LoadEvent>,
  signal: AbortSignal,
  ended: (requests: number, outcome: Outcome | undefined) => Promise<void>,
): AsyncIterable<LoadEvent> {
  let [requests, hasBegun, hasEnded] = [0, false, false];
  const end = async (how: Outcome) => {
    if (hasEnded) return;
    hasEnded = true;
    await ended(requests, hasBegun ? how : undefined);
  };
  // After a disconnect, nothing below runs.
  signal.addEventListener('abort', () => void end('left'), { once: true });
  return (async function* () {
    hasBegun = true;
    try {
      for await (const event of events) {
        if (event.kind === 'line' && event.line.type !== 'queued') requests = requestsOf(event.line);
        if (event.kind === 'line' && event.line.type === 'end')
          await end(isComplete(event.line) ? 'complete' : 'with_gaps');
        yield event;
      }
    } catch (error) {
      await end('failed');
      throw error;
    }
  })();
}

function requestsOf(line: ProgressLine | EndLine): number {
  if (line.type === 'end') return Object.values(line.layers).reduce((sum, { requests }) => sum + requests, 0);
  return Object.values(line.layers).reduce((sum, { requests_made }) => sum + requests_made, 0);
}

function isComplete({ layers }: EndLine): boolean {
  return Object.values(layers).every(({ complete }) => complete);
}
