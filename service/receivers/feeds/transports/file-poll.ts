import { open, realpath, stat } from 'node:fs/promises';
import { epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';
import { feedProblem } from './feed-problem.ts';
import { AnswerChanges, BodyLimit, leastAgoMs, PollRhythm } from './polling.ts';

/** readsb writes at this interval. */
const INTERVAL_MS = SECOND_MS;

/** Reads a file that a receiver's program writes again and again, soon after each change. */
export function filePoll(path: string): Connect {
  return (inlet, surroundings) => startReading(path, inlet, surroundings);
}

class NotAFile extends Error {}

interface Version {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly writtenMs: number;
}

function startReading(path: string, inlet: Inlet, { now, after, random }: Surroundings): Connection {
  const backoff = makeBackoff(random);
  const rhythm = new PollRhythm(INTERVAL_MS);
  const limit = new BodyLimit();
  const changes = new AnswerChanges();
  let isClosed = false;
  let lastRead = '';
  let isReadable = true;
  let cancelNext = () => {};
  let reading = read();

  async function read(): Promise<void> {
    let waitMs: number;
    try {
      const version = await readIfNew();
      if (isClosed) return;
      waitMs = rhythm.nextMs(version !== undefined);
      inlet.connected();
      if (version === undefined) inlet.repeated();
      else isReadable = await take(version);
      if (isReadable) backoff.reset();
      else waitMs = backoff.nextMs();
    } catch (error) {
      if (isClosed) return;
      inlet.lost(error instanceof NotAFile ? 'it is not a file' : feedProblem(error));
      lastRead = '';
      waitMs = backoff.nextMs();
    }
    if (isClosed) return;
    cancelNext = after(waitMs, () => {
      reading = read();
    });
  }

  async function take({ bytes, isWhole, writtenMs }: Version): Promise<boolean> {
    if (!isWhole) {
      inlet.refuse('too_long');
      limit.exceeded(bytes);
      lastRead = '';
      return false;
    }
    const at = now();
    const change = changes.next(bytes, String(writtenMs), at);
    if (change === 'same') {
      inlet.repeated();
      return isReadable;
    }
    const isRead = await inlet.answer(bytes, at, {
      writtenAgoMs: leastAgoMs(epochMs(at) - writtenMs),
      mayBeOld: change === 'first',
      server: await realpath(path).catch(() => path),
    });
    limit.note(bytes.length, isRead);
    return isRead;
  }

  async function readIfNew(): Promise<Version | undefined> {
    const found = await stat(path, { bigint: true });
    // Reading a pipe would block.
    if (!found.isFile()) throw new NotAFile();
    const version = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (version === lastRead) return undefined;
    lastRead = version;
    const isWhole = found.size <= limit.bytes;
    const file = await open(path);
    try {
      // `readFile` has no bound, and the file may have grown since `stat`.
      const buffer = Buffer.alloc(Math.min(Number(found.size), limit.bytes));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return { bytes: buffer.subarray(0, bytesRead), isWhole, writtenMs: Number(found.mtimeMs) };
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
