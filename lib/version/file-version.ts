/** Beyond it, the number itself is damaged. Each format has its version in a byte or a field at a fixed place. */
const VERSION_MAX = 255;

/** A file of another version is whole: it is never called damaged, and never overwritten or deleted. */
export class OtherVersion extends Error {
  override name = 'OtherVersion';

  constructor(found: number, reads: number) {
    const writer = found > reads ? 'a newer' : 'an older';
    super(`was written by ${writer} Lookout (version ${found}, this one reads ${reads})`);
  }

  /** @param remedy what to do, without a full stop */
  text(file: string, remedy: string): string {
    return `${file} ${this.message}: ${remedy}.`;
  }
}

/**
 * @param reads the newest that this Lookout reads
 * @param oldest the oldest that it reads
 * @throws OtherVersion
 * @returns false if the number is no version: then the file is damaged
 */
export function isReadVersion(found: unknown, reads: number, oldest = reads): boolean {
  if (!Number.isInteger(found) || (found as number) < 0 || (found as number) > VERSION_MAX) return false;
  if ((found as number) > reads || (found as number) < oldest) throw new OtherVersion(found as number, reads);
  return true;
}

/** A file of one line, such as `1:0a1b…`. */
export function versionedLine(version: number, text: string): string {
  return `${version}:${text}\n`;
}

/**
 * Lines of the time before versions have none, and are read as they are.
 * @throws OtherVersion
 */
export function versionedLineText(line: string, reads: number): string {
  const [, version, text] = /^(\d{1,3}):(.*)$/s.exec(line.trim()) ?? [];
  return version !== undefined && isReadVersion(Number(version), reads) ? (text ?? '') : line.trim();
}
