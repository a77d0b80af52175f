import { format, stripVTControlCharacters } from 'node:util';

type Level = 'debug' | 'info' | 'warn' | 'error';
type ConsoleLog = Readonly<Record<Level, (details: object, message: string) => void>>;

const LEVELS = { debug: 'debug', trace: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/** Control characters, and those that break or reverse a line. */
const TREACHEROUS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

export function consoleToLog(log: ConsoleLog, target: Console = console): void {
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, Level][]) {
    target[method] = (...printed: unknown[]) => {
      const text = stripVTControlCharacters(format(...printed)).trim();
      if (text !== '') log[level]({ source: 'console' }, text.replace(TREACHEROUS, escaped));
    };
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Next would print an unhandled error and continue in an unknown state. A restart is clean. */
export function crashWithLine(log: { fatal(details: object, message: string): void }): void {
  const crash = (event: string) => (error: unknown) => {
    log.fatal({ err: error, event }, 'Lookout has crashed');
    process.exit(1);
  };
  process.prependListener('uncaughtException', crash('uncaughtException'));
  process.prependListener('unhandledRejection', crash('unhandledRejection'));
}
