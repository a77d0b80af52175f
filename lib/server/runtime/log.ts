import 'server-only';
import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import { withinMs } from '../machine.ts';

const WAITING_MAX_BYTES = 1024 * 1024;
const END_MS = 500;

export interface Log {
  readonly log: Logger;
  /** Drops lines that are not taken soon. Call it before the exit. */
  end(): Promise<void>;
}

/** Keys, cookies and positions are never logged. */
export function makeLog(level: string): Log {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: WAITING_MAX_BYTES });
  // A full disk must not end the process: lines wait in bounded memory.
  destination.on('error', () => undefined);
  let isWritten = true;
  const write = destination.write.bind(destination);
  destination.write = (line) => {
    isWritten = false;
    return write(line);
  };
  destination.on('drain', () => {
    isWritten = true;
  });
  return {
    log: pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
    async end() {
      if (isWritten) return;
      const written = once(destination, 'drain').then(
        () => true,
        () => false,
      );
      const areWritten = await withinMs(written, END_MS);
      // Retries at the exit would keep the process from ending.
      if (!areWritten) destination.flushSync = () => undefined;
    },
  };
}
