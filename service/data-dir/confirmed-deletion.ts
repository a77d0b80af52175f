import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion, versionedLine, versionedLineText } from '#lib/version/file-version.ts';

const VERSION = 1;

/** The file has an instant: data before it that is beyond the limits may be deleted. */
function confirmedDeletionFileIn(path: string): string {
  return join(path, 'past-may-be-deleted-before');
}

/** @throws the file system's error, or an Error that says what to do */
export function confirmDeletion(path: string, before: UpstreamInstant): void {
  const file = confirmedDeletionFileIn(path);
  const { ofOther } = read(file);
  if (ofOther !== undefined) throw new Error(ofOther);
  writeFileSync(`${file}.new`, versionedLine(VERSION, formatInstant(before)), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Logs at once, and again after a change, what keeps the file from being used. */
export function confirmedDeletions(path: string, log: (entry: string) => void): () => UpstreamInstant | undefined {
  const file = confirmedDeletionFileIn(path);
  let known: string | undefined;
  const confirmed = () => {
    const { before, ofOther, damage } = read(file);
    const problem = ofOther ?? damage;
    if (problem !== undefined && problem !== known) log(`past: ${problem}`);
    known = problem;
    return before;
  };
  confirmed();
  return confirmed;
}

function read(file: string): {
  readonly before?: UpstreamInstant;
  readonly ofOther?: string;
  readonly damage?: string;
} {
  try {
    const before = parseInstant(versionedLineText(readFileSync(file, 'utf8'), VERSION));
    const damage = `${file} is damaged: nothing is deleted by it; confirm again with past delete.`;
    return before === undefined ? { damage } : { before };
  } catch (error) {
    if (error instanceof OtherVersion) {
      const remedy = 'nothing is deleted by it; start that Lookout, or confirm again after moving it away';
      return { ofOther: error.text(file, remedy) };
    }
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? {} : { damage: `${file} cannot be read, and nothing is deleted by it: ${message}` };
  }
}
