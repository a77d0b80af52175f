import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Acting } from '../../accounts/administer/acting.ts';
import type { CommandArguments, OptionTable } from '../read-arguments.ts';

/** A command's output: an object for programs, lines for users. */
export interface CommandOutput {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

type Act = (acting: Acting, dataDir: string) => CommandOutput;

/** A command over the accounts of a data directory, for example `key create`. */
export interface Command {
  /** Its operand: `NAME`, or '' for none. */
  readonly operand: string;
  /** In addition to --data and --json. */
  readonly options: OptionTable;
  /** Whether it makes the data directory if it is missing. */
  readonly makesData?: boolean;
  /** Reads its arguments. The returned act is run only if no argument was wrong. */
  readonly read: (given: CommandArguments, now: UpstreamInstant) => Act;
}

/** A value that was read without a problem: acts run only then. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('an argument that was not read');
  return value;
}

export function timeText(instant: UpstreamInstant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

/** Columns padded to the widest cell, two spaces apart. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), head.length),
  );
  return [heads, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
