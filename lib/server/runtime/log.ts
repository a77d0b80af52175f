import 'server-only';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';

const WAITING_MAX_BYTES = 1024 * 1024;
/** How long the end waits for the reader of the log. */
const END_MS = 500;

export interface Log {
  readonly log: Logger;
  /** Writes the lines that wait, if they are taken soon; what is not is lost. Call it before the process exits. */
  end(): Promise<void>;
}

/** One JSON line per event, on standard error. Keys, cookies and positions are never logged. */
export function makeLog(level: string): Log {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: WAITING_MAX_BYTES });
  // A disk that is full must not end the process: the lines wait, as many as memory is given, and are written when there is room again.
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
      // Rejects with an error of the destination.
      const written = once(destination, 'drain').then(
        () => true,
        () => false,
      );
      const areWritten = await Promise.race([written, delay(END_MS, false, { ref: false })]);
      // At the exit it would try again for ever: the process would not end.
      if (!areWritten) destination.flushSync = () => undefined;
    },
  };
}
