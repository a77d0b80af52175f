import { connect, type Socket } from 'node:net';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeByteRate } from '../byte-rate.ts';
import type { Connect, Inlet, Surroundings } from '../feed.ts';
import { connectionProblem } from './connection-problem.ts';
import { makeLineSplitter } from './line-splitter.ts';
import { type Ended, reconnecting } from './reconnecting.ts';

export interface TcpLinesOptions {
  readonly host: string;
  readonly port: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Default 2 minutes: readsb shows every minute that it lives. */
  readonly silenceMaxMs?: number;
  /** Default 64 KiB: a line is a few hundred bytes. */
  readonly lineMaxBytes?: number;
  /** Default 8 MiB: more than 10,000 lines. A connection that sends more within a second is cut. */
  readonly bytesPerSecondMax?: number;
}

const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const SILENCE_MAX_MS = 2 * MINUTE_MS;
const LINE_MAX_BYTES = 64 * 1024;
const BYTES_PER_SECOND_MAX = 8 * 1024 * 1024;

/** Lines from a TCP port, for as long as it stands; then it is connected again. */
export function tcpLines(options: TcpLinesOptions): Connect {
  return (inlet, surroundings) =>
    reconnecting((closing) => readLines(options, inlet, surroundings, closing), inlet, surroundings);
}

/** One connection, until it ends. Never rejects. */
function readLines(
  { host, port, ...limits }: TcpLinesOptions,
  inlet: Inlet,
  { now, after }: Surroundings,
  closing: AbortSignal,
): Promise<Ended> {
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, silenceMaxMs = SILENCE_MAX_MS } = limits;
  const { lineMaxBytes = LINE_MAX_BYTES, bytesPerSecondMax = BYTES_PER_SECOND_MAX } = limits;
  const socket: Socket = connect({ host, port, noDelay: true, keepAlive: true });
  let problem = 'the other end closed the connection';
  let connectedAt: UpstreamInstant | undefined;
  const rate = makeByteRate(bytesPerSecondMax, now);
  let cancelTimeout = after(connectTimeoutMs, () => end(`no connection within ${connectTimeoutMs / SECOND_MS} s`));

  function end(why: string): void {
    problem = why;
    socket.destroy();
  }

  function awaitData(): void {
    cancelTimeout();
    cancelTimeout = after(silenceMaxMs, () => end(`it sent nothing for ${silenceMaxMs / SECOND_MS} s`));
  }

  const splitter = makeLineSplitter(lineMaxBytes, {
    line: (line) => inlet.message(line),
    tooLong: () => inlet.refuse('too_long'),
  });
  socket.once('connect', () => {
    connectedAt = now();
    inlet.connected();
    awaitData();
  });
  socket.on('data', (chunk) => {
    awaitData();
    if (rate.isFlood(chunk.length)) {
      inlet.refuse('flood');
      end(`it sent more than ${Math.floor(bytesPerSecondMax / 1024)} KiB within a second`);
    } else splitter.push(chunk);
  });
  socket.once('error', (error) => {
    problem = connectionProblem(error);
  });
  closing.addEventListener('abort', () => socket.destroy(), { once: true });
  return new Promise((resolve) =>
    socket.once('close', () => {
      cancelTimeout();
      resolve({ problem, lastedMs: connectedAt === undefined ? 0 : msBetween(connectedAt, now()) });
    }),
  );
}
