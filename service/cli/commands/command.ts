import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Acting } from '../../accounts/administer/accounts.ts';
import type { CommandArguments, OptionTable } from '../read-arguments.ts';

export interface CommandOutput {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

type Act = (acting: Acting, dataDir: string) => CommandOutput;

export interface Command {
  /** How the usage names the operand, such as `NAME`; '' for a command without one. */
  readonly operand: string;
  /** Options in addition to --data and --json. */
  readonly options: OptionTable;
  readonly makesData?: boolean;
  /** The returned act runs only if no argument was wrong. */
  readonly read: (given: CommandArguments, now: UpstreamInstant) => Act;
}

export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('an argument that was not read');
  return value;
}

export function timeText(instant: UpstreamInstant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

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
