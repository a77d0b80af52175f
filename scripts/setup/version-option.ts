import { asksVersion, VERSION_LINE } from '#lib/version/lookout-version.ts';

/** Answers `--version` of a command. */
export function endAfterVersion(): void {
  if (!asksVersion(process.argv.slice(2))) return;
  process.stdout.write(VERSION_LINE);
  process.exit(0);
}
