import { open, stat } from 'node:fs/promises';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';
import { connectionProblem } from './connection-problem.ts';
import { BODY_MAX_BYTES } from './http-poll.ts';
import { PollRhythm } from './poll-rhythm.ts';

export interface FilePollOptions {
  readonly path: string;
  /** Default 1 s, which is how often readsb writes. */
  readonly intervalMs?: number;
}

/** Reads a file whenever it was replaced: readsb writes a new one beside it and renames that. */
export function filePoll(options: FilePollOptions): Connect {
  return (inlet, surroundings) => startReading(options, inlet, surroundings);
}

class NotAFile extends Error {}

function startReading(
  { path, intervalMs = SECOND_MS }: FilePollOptions,
  inlet: Inlet,
  { after, random }: Surroundings,
): Connection {
  const backoff = makeBackoff(random);
  const rhythm = new PollRhythm(intervalMs);
  let isClosed = false;
  let lastRead = '';
  let cancelNext = () => {};
  let reading = read();

  async function read(): Promise<void> {
    let waitMs: number;
    try {
      const message = await readIfNew();
      if (isClosed) return;
      backoff.reset();
      waitMs = rhythm.nextMs(message !== undefined);
      inlet.connected();
      if (message === 'too_long') inlet.refuse('too_long');
      else if (message !== undefined) inlet.message(message);
    } catch (error) {
      if (isClosed) return;
      inlet.lost(error instanceof NotAFile ? 'it is no file' : connectionProblem(error));
      lastRead = '';
      waitMs = backoff.nextMs();
    }
    cancelNext = after(waitMs, () => {
      reading = read();
    });
  }

  async function readIfNew(): Promise<Uint8Array | 'too_long' | undefined> {
    const found = await stat(path, { bigint: true });
    // A pipe would keep whoever opens it waiting.
    if (!found.isFile()) throw new NotAFile();
    const version = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (version === lastRead) return undefined;
    lastRead = version;
    if (found.size > BODY_MAX_BYTES) return 'too_long';
    const file = await open(path);
    try {
      // Not readFile: what is opened may be longer than what was looked at.
      const buffer = Buffer.alloc(Number(found.size));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  return {
    async close() {
      isClosed = true;
      cancelNext();
      await reading;
    },
  };
}
