import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isatty, ReadStream } from 'node:tty';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Connect, Inlet, Surroundings } from '../feed.ts';
import { feedProblem } from './feed-problem.ts';
import { makeLineSplitter } from './line-splitter.ts';
import { type EndedConnection, reconnecting } from './reconnecting.ts';

export interface SerialOptions {
  readonly path: string;
  readonly baud: number;
}

const LINE_MAX_BYTES = 4096;

/** Lines from a serial device, which is set to its rate with stty. */
export function serialLines(options: SerialOptions): Connect {
  return (inlet, surroundings) =>
    reconnecting((closing) => readDevice(options, inlet, surroundings, closing), inlet, surroundings);
}

/** Reads until the device is unplugged. Never rejects. */
async function readDevice(
  { path, baud }: SerialOptions,
  inlet: Inlet,
  { now }: Surroundings,
  closing: AbortSignal,
): Promise<EndedConnection> {
  let device: FileHandle | undefined;
  let openedAt: UpstreamInstant | undefined;
  try {
    // The flags avoid waiting for a modem, and becoming the controlling terminal.
    device = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!isatty(device.fd)) return { problem: 'it is not a serial device', lastedMs: 0 };
    await setLine(device.fd, baud);
    if (closing.aborted) return { problem: 'closed', lastedMs: 0 };
    openedAt = now();
    inlet.connected();
    await readLines(device.fd, inlet, closing);
    return { problem: 'the device was unplugged', lastedMs: msBetween(openedAt, now()) };
  } catch (error) {
    const problem = error instanceof SttyError ? error.message : feedProblem(error);
    return { problem, lastedMs: openedAt === undefined ? 0 : msBetween(openedAt, now()) };
  } finally {
    await device?.close().catch(() => {});
  }
}

class SttyError extends Error {}

/** Raw, no echo, no waiting for a carrier. stty configures its standard input. */
function setLine(fd: number, baud: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stty = spawn('stty', [String(baud), 'raw', '-echo', 'clocal'], { stdio: [fd, 'ignore', 'ignore'] });
    stty.once('error', () => reject(new SttyError('stty is missing: it comes with coreutils')));
    stty.once('exit', (code) =>
      code === 0 ? resolve() : reject(new SttyError(`stty does not set it to ${baud} baud`)),
    );
  });
}

/** The device is read as a terminal, since reading a file would occupy a thread. */
function readLines(fd: number, inlet: Inlet, closing: AbortSignal): Promise<void> {
  const push = makeLineSplitter(LINE_MAX_BYTES, {
    line: (line) => inlet.message(line),
    tooLong: () => inlet.refuse('too_long'),
  });
  return new Promise((resolve, reject) => {
    const stream = new ReadStream(fd);
    const end = () => stream.destroy();
    closing.addEventListener('abort', end, { once: true });
    stream.on('data', (chunk) => {
      if (!closing.aborted) push(chunk);
    });
    stream.once('error', (error) => reject(error));
    stream.once('close', () => {
      closing.removeEventListener('abort', end);
      resolve();
    });
  });
}
