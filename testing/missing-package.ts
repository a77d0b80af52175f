import { type DebianPackage, isInstalled } from '../scripts/setup/debian-packages.ts';

/** For `test.skipIf`: names the package that the skipped tests need. */
export function isMissing(name: DebianPackage): boolean {
  if (isInstalled(name)) return false;
  process.stderr.write(`${name} is missing: its tests are skipped. apt-get install ${name}\n`);
  return true;
}
