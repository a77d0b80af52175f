import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { OperationId } from '#lib/contract/operation.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { DataRequest } from '../http/answer.ts';
import { listen } from '../http/listen.ts';
import { type FaultSwitch, faultSchema } from './fault.ts';

interface Control {
  readonly url: string;
  close(): Promise<void>;
}

const BODY_MAX_BYTES = 64 * 1024;

/**
 * The fault switches over HTTP, for programs that test a client: on loopback only, on any free port. It sets and clears
 * the fault, and reads and clears the list of received requests.
 */
export async function startControl(faults: FaultSwitch, requestLog: RequestLog): Promise<Control> {
  const server = createServer((request, response) => {
    answer(request, response, faults, requestLog).catch(() => response.destroy());
  });
  const url = await listen(server, '127.0.0.1', 0);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  faults: FaultSwitch,
  requestLog: RequestLog,
): Promise<void> {
  switch (`${request.method} ${request.url}`) {
    case 'PUT /fault': {
      const setting = faultSchema.safeParse(parseJson(await readBody(request)));
      if (!setting.success) {
        const problems = setting.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
        return send(response, 400, { problems });
      }
      faults.set(setting.data);
      // The log is cleared as the fault is set, so that it has no request that missed the fault.
      requestLog.clear();
      return send(response, 200, setting.data);
    }
    case 'DELETE /fault':
      faults.clear();
      return send(response, 204);
    case 'GET /requests':
      return send(response, 200, requestLog.all());
    case 'DELETE /requests':
      requestLog.clear();
      return send(response, 204);
    default:
      return send(response, 404, {
        problems: ['unknown request: write PUT or DELETE /fault, or GET or DELETE /requests'],
      });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export interface ReceivedRequest {
  readonly received_at: string;
  readonly operation: OperationId;
  readonly method: string;
  /** The encoded query. Unknown parameters become `…`, since one may be a misplaced key. */
  readonly query: string;
  readonly had_authorization: boolean;
}

interface RequestLog {
  add(operation: OperationId, request: DataRequest, query: string, at: UpstreamInstant): void;
  all(): readonly ReceivedRequest[];
  clear(): void;
}

/** Keeps the latest `capacity` requests at least, oldest first. */
export function makeRequestLog(capacity = 10_000): RequestLog {
  let received: ReceivedRequest[] = [];
  return {
    add(operation, request, query, at) {
      received.push({
        received_at: formatInstant(at),
        operation,
        method: request.method,
        query: redact(query),
        had_authorization: request.authorization.length > 0,
      });
      if (received.length >= 2 * capacity) received = received.slice(-capacity);
    },
    all: () => received.slice(-capacity),
    clear() {
      received = [];
    },
  };
}

const contractParameter = /^(bbox|limit|cursor|start|end)=/;

function redact(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => (contractParameter.test(pair) ? pair : '…'))
    .join('&');
}
