import { connect, type Socket } from 'node:net';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Inlet, Surroundings } from '../feed.ts';
import { feedProblem } from './feed-problem.ts';
import { makeLineSplitter } from './line-splitter.ts';
import { CONNECT_TIMEOUT_MS, type EndedConnection, makeByteRate, reconnecting } from './reconnecting.ts';

export interface TcpLinesOptions {
  readonly host: string;
  readonly port: number;
}

/** readsb sends a keep-alive every minute. */
const SILENCE_MAX_MS = 2 * MINUTE_MS;
const NEWLINE = 10;
const RETURN = 13;
/** A line has a few hundred bytes. */
const LINE_MAX_BYTES = 64 * 1024;
/** The limit is as much as 10,000 lines take. A faster connection is closed. */
const MIB_PER_SECOND_MAX = 8;

/** Lines from a port of a receiver's program. Empty ones show that it runs. */
export function tcpLines(options: TcpLinesOptions): Connect {
  return (inlet, surroundings) =>
    reconnecting((closing) => readLines(options, inlet, surroundings, closing), inlet, surroundings);
}

function readLines(
  { host, port }: TcpLinesOptions,
  inlet: Inlet,
  { now, after }: Surroundings,
  closing: AbortSignal,
): Promise<EndedConnection> {
  const socket: Socket = connect({ host, port, noDelay: true, keepAlive: true });
  let problem = 'the other end closed the connection';
  let connectedAt: UpstreamInstant | undefined;
  const isFlood = makeByteRate(MIB_PER_SECOND_MAX * 1024 * 1024, now);
  let cancelTimeout = after(CONNECT_TIMEOUT_MS, () => end(`no connection within ${CONNECT_TIMEOUT_MS / SECOND_MS} s`));

  function end(why: string): void {
    problem = why;
    socket.destroy();
  }

  function awaitData(): void {
    cancelTimeout();
    cancelTimeout = after(SILENCE_MAX_MS, () => end(`it sent nothing for ${SILENCE_MAX_MS / SECOND_MS} s`));
  }

  const push = makeLineSplitter(LINE_MAX_BYTES, {
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
    if (chunk.every((byte) => byte === NEWLINE || byte === RETURN)) inlet.keptAlive();
    if (isFlood(chunk.length)) {
      inlet.refuse('flood');
      end(`it sent more than ${MIB_PER_SECOND_MAX} MiB within a second`);
    } else push(chunk);
  });
  socket.once('error', (error) => {
    problem = feedProblem(error);
  });
  closing.addEventListener('abort', () => socket.destroy(), { once: true });
  return new Promise((resolve) =>
    socket.once('close', () => {
      cancelTimeout();
      resolve({ problem, lastedMs: connectedAt === undefined ? 0 : msBetween(connectedAt, now()) });
    }),
  );
}
