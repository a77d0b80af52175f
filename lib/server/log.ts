import 'server-only';
import { type Logger, pino } from 'pino';

/** One JSON line an event, on standard error. Keys, cookies and positions are never given to it. */
export function makeLog(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
}
