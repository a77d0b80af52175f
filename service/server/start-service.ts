import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { KEY_MAX_LIFETIME_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type AccountAccess, type AccountWithKeys, memoryAccess } from '../accounts/access.ts';
import { ALL_SCOPES, type Allowance } from '../accounts/account.ts';
import { makeAddressLimit } from '../accounts/address-limit.ts';
import { issueKey } from '../accounts/api-key.ts';
import { type FaultSetting, makeFaultSwitch } from '../faults/fault.ts';
import { playFault } from '../faults/play-fault.ts';
import { makeRequestLog, type ReceivedRequest, startControl } from '../faults/start-control.ts';
import {
  type DataRequest,
  Refusal,
  refusalAnswer,
  refuseConnect,
  refuseUnreadable,
  sendAnswer,
} from '../http/answer.ts';
import { callerAddress } from '../http/caller-address.ts';
import { listen } from '../http/listen.ts';
import { REFERENCE_PERIOD_MS } from '../references/public-reference.ts';
import { serviceNow } from '../service-now.ts';
import type { Source } from '../sources/observation.ts';
import { BASE_PATH, makeAnswering, readRequestTarget } from './answer-request.ts';

export const DEFAULT_ALLOWANCE: Allowance = { perMinute: 600, perDay: 200_000 };
export const DEFAULT_PREFIX = 'LKT';

export interface ServiceOptions {
  readonly source: Source;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: a random key. Ignored if `accounts` is given. */
  readonly apiKey?: string;
  readonly allowance?: Allowance;
  /** False: answers report no allowance, and nothing is counted. Default true. */
  readonly isCounted?: boolean;
  /** Accounts in place of the one with full access. */
  readonly accounts?: readonly AccountWithKeys[];
  /** Accounts in place of all others. With it, wrong keys are limited by address. */
  readonly access?: AccountAccess;
  /** Proxies whose X-Forwarded-For is trusted. Default: none. */
  readonly proxies?: BlockList;
  /** The `<PFX>` of references and cursors. */
  readonly prefix?: string;
  /** By default it is random, so that references change with a restart. */
  readonly referenceSecret?: Uint8Array;
  /** How long a track keeps its reference. Default: six hours. */
  readonly referencePeriodMs?: number;
  /** The clock of the service. Default: the machine's. */
  readonly now?: () => UpstreamInstant;
  /** Whether the fault switches are served over HTTP. Default false; `setFault` works without it. */
  readonly control?: boolean;
  readonly log?: (entry: string) => void;
}

export interface RunningService {
  /** `http://host:port/v1` */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly controlUrl: string | undefined;
  /** Throws a ZodError if the setting is invalid. */
  setFault(fault: FaultSetting): void;
  clearFault(): void;
  requests(): readonly ReceivedRequest[];
  clearRequests(): void;
  /** Ends faulty answers at once, and waits at most `graceMs` (default 5000) for the others. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts the Received-Positions Read API over a source: node:http in front of `makeAnswering`, with the fault switches
 * in between. Every answer has the contract's error body, also for requests that node:http would refuse itself. Rejects
 * if it can't listen.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const now = options.now ?? serviceNow;
  const log = options.log ?? (() => {});
  const prefix = options.prefix ?? DEFAULT_PREFIX;
  const apiKey = options.apiKey ?? randomBytes(32).toString('base64url');
  const fullAccess = () => fullAccessAccount(apiKey, options.allowance ?? DEFAULT_ALLOWANCE, now());
  const answeringAt = makeAnswering({
    source: options.source,
    access: options.access ?? memoryAccess(options.accounts ?? [fullAccess()], now),
    addressLimit: options.access && makeAddressLimit(),
    isCounted: options.isCounted ?? true,
    prefix,
    referenceSecret: options.referenceSecret ?? randomBytes(32),
    referencePeriodMs: options.referencePeriodMs ?? REFERENCE_PERIOD_MS,
    now,
    log,
  });
  const faults = makeFaultSwitch();
  const requestLog = makeRequestLog();
  const closing = new AbortController();

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = dataRequestOf(message, options.proxies);
    if (message.httpVersion === '1.1' && message.headers.host === undefined) {
      // RFC 9112, 3.2. node:http would refuse it without the error body.
      const refusal = new Refusal('invalid_request', 'A Host header is required.');
      return sendAnswer(response, refusalAnswer(refusal, request.requestId));
    }
    const { operation, query } = readRequestTarget(request.target);
    if (operation) requestLog.add(operation.id, request, query, now());
    const taken = operation && request.method === 'GET' ? faults.take(operation.id) : undefined;
    if (taken) await playFault(taken, { request, response, answeringAt, prefix, signal: closing.signal });
    else sendAnswer(response, await answeringAt(0)(request));
  }

  const server = createServer({ keepAliveTimeout: 30_000, requireHostHeader: false }, (message, response) => {
    handle(message, response).catch((failure: unknown) => {
      log(`a request failed: ${String(failure)}`);
      response.destroy();
    });
  });
  server.on('clientError', (_error, socket) => refuseUnreadable(socket));
  server.on('connect', (_request, socket) => refuseConnect(socket));
  // By default node:http answers 417 without the error body.
  server.on('checkExpectation', (message, response) => server.emit('request', message, response));

  const origin = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
  const control = options.control ? await startControl(faults, requestLog) : undefined;

  return {
    baseUrl: origin + BASE_PATH,
    apiKey,
    controlUrl: control?.url,
    setFault: faults.set,
    clearFault: faults.clear,
    requests: requestLog.all,
    clearRequests: requestLog.clear,
    async close(graceMs = 5_000) {
      closing.abort();
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      await Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), control?.close()]);
      clearTimeout(deadline);
    },
  };
}

function dataRequestOf(message: IncomingMessage, proxies: BlockList | undefined): DataRequest {
  return {
    requestId: randomUUID(),
    method: message.method ?? '',
    target: message.url ?? '',
    authorization: message.headersDistinct.authorization ?? [],
    address: callerAddress(message, proxies),
  };
}

export function fullAccessAccount(secret: string, allowance: Allowance, now: UpstreamInstant): AccountWithKeys {
  const grant = { active: true, expiresAt: addMs(now, KEY_MAX_LIFETIME_MS) };
  return {
    id: 'local',
    grant,
    scopes: new Set(ALL_SCOPES),
    lookbackDays: LOOKBACK_MAX_DAYS,
    allowance,
    keys: [issueKey({ name: 'local', secret, createdAt: now }, grant)],
  };
}
