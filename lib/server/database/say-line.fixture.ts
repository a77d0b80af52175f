import { writeSync } from 'node:fs';

/** For a process that will be killed: `process.stdout` keeps lines back where the reader is slow, and loses them. */
export function sayLine(line: string | number): void {
  writeSync(1, `${line}\n`);
}
