import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { REPORTED_HOURS_MAX } from './stations/hours-report.ts';

const TIMEOUT_MS = 2 * SECOND_MS;
/** Systems limit it to about a hundred bytes. */
const PATH_MAX_BYTES = 100;

const HOURS_TARGET = /^\/hours\?last=(\d{1,4})$/;

interface ServedStatus {
  status(): unknown;
  /** The report of the last so many hours. */
  hours(hours: number): unknown;
}

/**
 * The path of the socket in the data directory, which only its owner can open. Long paths and Windows' pipes get a
 * derived name.
 */
export function statusSocketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'status.sock');
  const name = `lookout-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return Buffer.byteLength(path) <= PATH_MAX_BYTES ? path : join(tmpdir(), `${name}.sock`);
}

/** The data directory is locked, so an existing socket was left by a killed service. */
export async function serveStatus(
  dataDir: string,
  { status, hours }: ServedStatus,
): Promise<{ close(): Promise<void> }> {
  const path = statusSocketPath(dataDir);
  if (process.platform !== 'win32') await rm(path, { force: true });
  const server = createServer((request, response) => {
    const wanted = HOURS_TARGET.exec(request.url ?? '')?.[1];
    const answer = wanted === undefined ? status() : hours(Math.min(Math.max(1, Number(wanted)), REPORTED_HOURS_MAX));
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(answer ?? null));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(path, listening);
  });
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Rejects if no service answers. */
export function readStatus(dataDir: string, path = '/'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath: statusSocketPath(dataDir), path, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch (error) {
          reject(error);
        }
      });
    });
    asking.once('timeout', () => asking.destroy(new Error('no answer')));
    asking.once('error', reject);
    asking.end();
  });
}
