import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Envelope } from '#lib/contract/envelope.ts';
import { CONTRACT_VERSION, QUERY_LENGTH_LIMIT } from '#lib/contract/limits.ts';
import {
  DAY_REMAINING_HEADER,
  LAYERS,
  type Layer,
  MINUTE_REMAINING_HEADER,
  MODES,
  type Mode,
  type OperationId,
  operationId,
  operationPath,
  scopeOf,
} from '#lib/contract/operation.ts';
import { upstreamHistoryQuery, upstreamLiveQuery } from '#lib/contract/query.ts';
import type { WireReception } from '#lib/contract/reception.ts';
import { corners } from '#lib/geo/corners.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { type AccountAccess, authenticate, authorise, authoriseLookback } from '../accounts/access.ts';
import type { Account } from '../accounts/account.ts';
import type { AddressLimit } from '../accounts/address-limit.ts';
import { type AnsweringAt, type AnswerRequest, Refusal, refusalAnswer } from '../http/answer.ts';
import { cacheReferences, type ReferenceOf, serviceIdOf } from '../references/public-reference.ts';
import type { ReceptionNow, Source } from '../sources/observation.ts';
import { shiftSource } from '../sources/shift-source.ts';
import { readHistoryWindow } from '../store/history-window.ts';
import { makeCursors, makeLivePages } from '../store/live-pages.ts';
import { wireRecord } from '../wire/wire-record.ts';

export const BASE_PATH = '/v1';

interface AnsweringParts {
  readonly source: Source;
  readonly access: AccountAccess;
  /** Without it, wrong keys have no limit. */
  readonly addressLimit: AddressLimit | undefined;
  /** If not, no answer reports an allowance. */
  readonly isCounted: boolean;
  readonly prefix: string;
  readonly referenceSecret: Uint8Array;
  readonly referencePeriodMs: number;
  readonly now: () => UpstreamInstant;
  readonly log: (line: string) => void;
}

/**
 * The whole road of a request, from its target to the envelope. Answers never throw: a failure becomes a 503 without
 * details, and its stack a line of the log. The answers of a wrong clock (`clock_offset_ms`) spend from the same
 * allowance.
 */
export function makeAnswering({ source, now, ...parts }: AnsweringParts): AnsweringAt {
  const { referenceSecret: secret, referencePeriodMs: periodMs, prefix } = parts;
  const referenceOf = cacheReferences({ secret, prefix, periodMs });
  const right = answeringFrom(source, now, referenceOf, parts);
  let shifted: { readonly offsetMs: number; readonly answerRequest: AnswerRequest } | undefined;
  return (offsetMs) => {
    if (offsetMs === 0) return right;
    if (shifted?.offsetMs !== offsetMs) {
      const wrongNow = () => addMs(now(), offsetMs);
      const answerRequest = answeringFrom(shiftSource(source, offsetMs), wrongNow, referenceOf, parts);
      shifted = { offsetMs, answerRequest };
    }
    return shifted.answerRequest;
  };
}

/**
 * The order of checks decides what a caller learns and what a request costs:
 *
 * path → method → address → key → grant and scope → allowance → query → lookback → the operation
 *
 * Path and method reveal nothing about accounts. Invalid credentials and denied scopes consume no allowance, but
 * failing queries do (Quota rules).
 */
function answeringFrom(
  source: Source,
  now: () => UpstreamInstant,
  referenceOf: ReferenceOf,
  { access, addressLimit, isCounted, prefix, referenceSecret, log }: Omit<AnsweringParts, 'source' | 'now'>,
): AnswerRequest {
  const servedBy = serviceIdOf(referenceSecret);
  const readPositions = makeOperations(source, prefix, referenceOf, servedBy);
  return async (request) => {
    const { requestId } = request;
    const allowanceHeaders: OutgoingHttpHeaders = {};
    try {
      const { operation, query } = readRequestTarget(request.target);
      if (operation === undefined)
        throw new Refusal(
          'not_found',
          'The path does not match an operation: use /v1/live or /v1/history, then /rid or /adsb.',
        );
      if (request.method !== 'GET') {
        throw new Refusal('method_not_allowed', 'The operations are read-only: use GET.', { allow: 'GET' });
      }
      const at = now();
      const { keyId, account } = authenticate(access, addressLimit, request, at);
      access.noteUse(keyId, at);
      authorise(account, scopeOf(operation.mode, operation.layer), at);
      if (isCounted) {
        const { left, ...spent } = await access.quota.spend(account);
        allowanceHeaders[MINUTE_REMAINING_HEADER] = String(left.minute);
        allowanceHeaders[DAY_REMAINING_HEADER] = String(left.day);
        if (!spent.granted) {
          throw new Refusal(
            'allowance_used_up',
            "The account's allowance is used up: wait for the seconds in Retry-After.",
            { 'retry-after': String(spent.retryAfterS) },
          );
        }
      }
      const body = await readPositions[operation.mode]({ operation, requestId, account, query, now: at });
      return { status: 200, headers: allowanceHeaders, body };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) {
        log(`${requestId}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
      }
      const refusal =
        thrown instanceof Refusal
          ? thrown
          : new Refusal('unavailable', 'Positions are temporarily unavailable: try again later.');
      const answer = refusalAnswer(refusal, requestId);
      return { ...answer, headers: { ...allowanceHeaders, ...answer.headers } };
    }
  };
}

interface Operation {
  readonly id: OperationId;
  readonly mode: Mode;
  readonly layer: Layer;
}

const operationByPath: ReadonlyMap<string, Operation> = new Map(
  MODES.flatMap((mode) =>
    LAYERS.map((layer) => [BASE_PATH + operationPath(mode, layer), { id: operationId(mode, layer), mode, layer }]),
  ),
);

/** A server must also accept the absolute form of a target (RFC 9112, 3.2.2). */
const absoluteFormAuthority = /^https?:\/\/[^/?#]*/i;

/** `operation` is `undefined` unless the path matches byte for byte. */
export function readRequestTarget(target: string): {
  readonly operation: Operation | undefined;
  readonly query: string;
} {
  const pathAndQuery = target.replace(absoluteFormAuthority, '');
  const queryAt = pathAndQuery.indexOf('?');
  const path = queryAt === -1 ? pathAndQuery : pathAndQuery.slice(0, queryAt);
  return { operation: operationByPath.get(path), query: queryAt === -1 ? '' : pathAndQuery.slice(queryAt + 1) };
}

interface AuthorisedRequest {
  readonly operation: Operation;
  readonly requestId: string;
  readonly account: Account;
  readonly query: string;
  readonly now: UpstreamInstant;
}

/** Throws a Refusal: 400 for an invalid query, 403 for a window outside the lookback. */
type RunOperation = (request: AuthorisedRequest) => Promise<Envelope>;

const CONTINUATION =
  'If truncated is true, request smaller half-open windows (for example both halves of this one), and smaller bounds if a single timestamp is too dense.';

function makeOperations(
  source: Source,
  prefix: string,
  referenceOf: ReferenceOf,
  servedBy: string,
): Readonly<Record<Mode, RunOperation>> {
  const livePages = makeLivePages(source, referenceOf, makeCursors({ prefix, randomBytes }));
  const liveQuery = upstreamLiveQuery(prefix);

  return {
    async live(request) {
      const { layer } = request.operation;
      const { bbox, limit, cursor } = readQuery(request.query, ['bbox', 'limit', 'cursor'], liveQuery);
      const page = livePages({ accountId: request.account.id, layer, bbox, limit }, cursor, request.now);
      if (page === undefined) {
        throw new Refusal('invalid_request', 'cursor must be the next_cursor of the previous page of the same query');
      }
      return {
        ...opening(request, servedBy),
        data: page.entries.map(({ reference, observation }) => wireRecord('live', reference, observation)),
        next_cursor: page.nextCursor,
        truncated: false,
        ...(source.reception && { reception: wireReception(source.reception(layer, bbox, request.now)) }),
      };
    },
    async history(request) {
      const { operation, account, now } = request;
      const asked = readQuery(request.query, ['bbox', 'start', 'end', 'limit'], upstreamHistoryQuery(now));
      authoriseLookback(account, asked.window, now);
      refuseDeleted(source, asked.window);
      const { layer } = operation;
      const { entries, truncated } = await readHistoryWindow(source, referenceOf, { ...asked, layer });
      const stretches = await source.pastReception?.(layer, asked.bbox, asked.window);
      return {
        ...opening(request, servedBy),
        data: entries.map(({ reference, observation }) => wireRecord('history', reference, observation)),
        next_cursor: null,
        truncated,
        continuation: CONTINUATION,
        ...(stretches && {
          reception: {
            stretches: stretches.map(({ from, to, state }) => ({
              from: formatInstant(from),
              to: formatInstant(to),
              state,
            })),
          },
        }),
      };
    },
  };
}

function opening({ operation: { layer, mode }, requestId, now }: AuthorisedRequest, servedBy: string) {
  return {
    version: CONTRACT_VERSION,
    request_id: requestId,
    generated_at: formatInstant(now),
    layer,
    mode,
    served_by: servedBy,
  } satisfies Partial<Envelope>;
}

function wireReception({
  own,
  since,
  places,
  ...counts
}: ReceptionNow): WireReception & { readonly own?: WireReception } {
  return {
    ...counts,
    since: since === undefined ? null : formatInstant(since),
    ...(own && { own: wireReception(own) }),
    ...(places && { places: places.map(({ bbox, ...place }) => ({ ...wireReception(place), bbox: corners(bbox) })) }),
  };
}

/** Refuses a window that was deleted, since an empty answer would say that nothing was received. */
function refuseDeleted(source: Source, window: Window): void {
  const since = source.keptSince?.();
  if (since === undefined || window.start >= since) return;
  throw new Refusal('outside_lookback', `History is kept since ${formatInstant(since)} only: use a later start.`);
}

/** @throws Refusal 400 for an invalid query, and for unknown or repeated parameters */
function readQuery<Schema extends z.ZodType>(query: string, known: readonly string[], schema: Schema): z.infer<Schema> {
  if (query.length >= QUERY_LENGTH_LIMIT) {
    throw new Refusal('invalid_request', `the encoded query must stay under ${QUERY_LENGTH_LIMIT} characters`);
  }
  const parameters = new Map<string, string>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const equalsAt = pair.indexOf('=');
    const name = decode(equalsAt === -1 ? pair : pair.slice(0, equalsAt));
    const value = decode(equalsAt === -1 ? '' : pair.slice(equalsAt + 1));
    if (!known.includes(name)) {
      // The message omits the name, which may be a misplaced key.
      throw new Refusal('invalid_request', `unknown parameter; this operation takes ${known.join(', ')}`);
    }
    if (parameters.has(name)) throw new Refusal('invalid_request', `${name} must be given once`);
    parameters.set(name, value);
  }
  const result = schema.safeParse(Object.fromEntries(parameters));
  if (result.success) return result.data;
  throw new Refusal('invalid_request', result.error.issues[0]?.message ?? 'the query is invalid');
}

/** `+` means a space: a timestamp's offset needs `%2B` (Query parameters: start). */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw new Refusal('invalid_request', 'the query must be percent-encoded UTF-8');
  }
}
