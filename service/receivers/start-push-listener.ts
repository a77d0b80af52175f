import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { requireHolder } from '../accounts/access.ts';
import { makeAddressLimit } from '../accounts/address-limit.ts';
import { Refusal, refusalAnswer, refuseUnreadable, sendAnswer } from '../http/answer.ts';
import { callerAddress } from '../http/caller-address.ts';
import { listen } from '../http/listen.ts';
import type { PushDesk, PushStation } from './feeds/push-desk.ts';
import { countRefusals } from './fix.ts';
import type { FixCounts } from './fusion/fused-feed.ts';

const PUSH_PATH = '/ingest/v1/observations';

export interface PushListenerOptions {
  readonly stations: Pick<PushDesk, 'find'>;
  /** Waits until earlier deliveries are written. False if they could not be. */
  readonly written: () => Promise<boolean>;
  readonly countsOf: (station: string) => Readonly<Partial<FixCounts>> | undefined;
  readonly now: () => UpstreamInstant;
  readonly host?: string;
  readonly port?: number | undefined;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies?: BlockList | undefined;
  readonly log?: (entry: string) => void;
}

export interface PushListener {
  /** `http://host:port/ingest/v1/observations` */
  readonly url: string;
  close(): Promise<void>;
}

const BODY_MAX_BYTES = 1024 * 1024;
/** Twice as much as 1,000 rows take. */
const UNZIPPED_MAX_BYTES = 2 * 1024 * 1024;
const CONNECTIONS_MAX = 500;
/** A station may have so many at once: ten requests a second, each answered within two seconds. */
const UNDER_WAY_MAX = 20;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CLOSE_GRACE_MS = 5000;

const unzip = promisify(gunzip);

/**
 * `POST /ingest/v1/observations` (docs/receivers.md). A separate listener, because its callers only write. A 200 means
 * that the rows are written.
 */
export async function startPushListener(options: PushListenerOptions): Promise<PushListener> {
  const { now, log = () => {}, proxies } = options;
  const addressLimit = makeAddressLimit();
  const underWay = new Map<string, number>();

  function stationOf(message: IncomingMessage): PushStation {
    const credentials = {
      authorization: message.headersDistinct.authorization ?? [],
      address: callerAddress(message, proxies),
    };
    return requireHolder(addressLimit, credentials, now(), {
      find: (digest) => options.stations.find(Buffer.from(digest).toString('hex')),
      wrongForm: 'One header Authorization: Bearer <STATION_KEY> is required.',
      unknown: 'The station key is not known.',
    });
  }

  async function answer(message: IncomingMessage): Promise<object> {
    if (message.url !== PUSH_PATH) throw new Refusal('not_found', `Stations send to ${PUSH_PATH}.`);
    if (message.method !== 'POST') throw new Refusal('method_not_allowed', 'Use POST.', { allow: 'POST' });
    const station = stationOf(message);
    const count = underWay.get(station.id) ?? 0;
    if (count >= UNDER_WAY_MAX) throw flood();
    underWay.set(station.id, count + 1);
    try {
      return await take(station, await bodyOf(message));
    } finally {
      underWay.set(station.id, (underWay.get(station.id) ?? 1) - 1);
    }
  }

  async function take(station: PushStation, body: Uint8Array): Promise<object> {
    const before = options.countsOf(station.id);
    const taken = station.take(body, now());
    const after = options.countsOf(station.id);
    switch (taken.outcome) {
      case 'unreadable':
        throw new Refusal('invalid_request', 'Send a JSON list of rows, or {"sent_at", "observations": [rows]}.');
      case 'too_long':
        throw new Refusal('body_too_large', 'Send at most 1000 rows at once.');
      case 'flood':
        throw flood();
      case 'read':
        break;
    }
    if (!(await options.written())) {
      throw new Refusal('unavailable', 'The rows could not be written: send them again.', { 'retry-after': '30' });
    }
    const { fixes, refused } = countRefusals(taken.parsed);
    return { received: fixes.length, refused, not_recorded: lostBetween(before, after) };
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    try {
      sendAnswer(response, { status: 200, headers: {}, body: { ...(await answer(message)), request_id: requestId } });
    } catch (failure) {
      if (response.destroyed) return;
      if (!(failure instanceof Refusal)) {
        log(`${requestId}: ${failure instanceof Error ? failure.stack : String(failure)}`);
      }
      const refusal =
        failure instanceof Refusal
          ? failure
          : new Refusal('unavailable', 'The service failed: send the rows again.', { 'retry-after': '5' });
      const { headers, ...refused } = refusalAnswer(refusal, requestId);
      // The rest of the body is not read.
      const closing = message.complete ? {} : { connection: 'close' };
      sendAnswer(response, { ...refused, headers: { ...headers, ...closing } });
    }
  }

  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: 75_000,
      maxHeaderSize: 8192,
    },
    (message, response) => {
      handle(message, response).catch((failure: unknown) => {
        log(`a push failed: ${String(failure)}`);
        response.destroy();
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', (_error, socket) => refuseUnreadable(socket));
  const origin = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
  return {
    url: origin + PUSH_PATH,
    async close() {
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      server.closeIdleConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(deadline);
    },
  };
}

function flood(): Refusal {
  return new Refusal('station_limit', 'Collect rows and send them together.', { 'retry-after': '1' });
}

async function bodyOf(message: IncomingMessage): Promise<Uint8Array> {
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refusal('encoding_not_supported', 'Send the body as it is, or with Content-Encoding: gzip.', {
      'accept-encoding': 'gzip',
    });
  }
  const body = await read(message);
  if (encoding === 'identity') return body;
  try {
    return await unzip(body, { maxOutputLength: UNZIPPED_MAX_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Refusal('invalid_request', 'The body is not gzip.');
  }
}

function tooLarge(): Refusal {
  return new Refusal('body_too_large', 'Send at most 1 MiB at once, and 2 MiB unzipped.');
}

/** `for await` would close the connection before the answer. */
function read(message: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const refuse = () => {
      message.removeAllListeners('data').pause();
      reject(tooLarge());
    };
    if (Number(message.headers['content-length'] ?? 0) > BODY_MAX_BYTES) return refuse();
    message.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) refuse();
      else chunks.push(chunk);
    });
    message.once('end', () => resolve(Buffer.concat(chunks)));
    // The sender left or was too slow.
    message.once('close', () => reject(new Refusal('invalid_request', 'The body is not whole.')));
  });
}

const LOST = ['late', 'undated', 'overtaken', 'crowded'] as const;

function lostBetween(
  before: Partial<FixCounts> | undefined,
  after: Partial<FixCounts> | undefined,
): Partial<FixCounts> {
  const lost = LOST.map((cause) => [cause, (after?.[cause] ?? 0) - (before?.[cause] ?? 0)] as const);
  return Object.fromEntries(lost.filter(([, count]) => count > 0));
}
