import { commandText } from '#lib/commands/command-text.ts';

/** The first versions without the WAL-reset bug: https://www.sqlite.org/wal.html#walresetbug. */
const FIXED = [
  [3, 44, 6],
  [3, 50, 7],
  [3, 51, 3],
] as const;

/**
 * Refuses versions of SQLite with a defect: up to 3.51.2, two processes can damage a database in WAL mode.
 * @throws Error that says what to do
 */
export function requireSafeSqlite(version: string | undefined): void {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number);
  const inLine = FIXED.some(([x, y, z]) => major === x && minor === y && patch >= z);
  const [lastMajor, lastMinor] = FIXED[FIXED.length - 1] as readonly [number, number, number];
  if (inLine || major > lastMajor || (major === lastMajor && minor > lastMinor)) return;
  throw new Error(
    `This Node has SQLite ${version ?? 'of no version'}, which can damage accounts that two processes use: take Node 24.21 or newer, which ${commandText('service')} does by itself.`,
  );
}
