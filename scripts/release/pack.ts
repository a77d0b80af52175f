// Packs a release: one archive that is equal for equal files, its list of packages, digests, and their signature.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { digestOf } from '../backup/backup-form.ts';

export const SUMS = 'SHA256SUMS';
/** A signature for another purpose does not count. */
const SIGNED_FOR = 'lookout-release';

export interface Packing {
  /** The folder of the release. */
  readonly release: string;
  /** Gets the packed files. */
  readonly folder: string;
  readonly version: string;
  /** Of every file in the archive, in seconds since 1970. */
  readonly atS: number;
  /** The private key of who publishes it; `undefined`: it is not signed. */
  readonly keyFile: string | undefined;
}

/** @returns names of the packed files */
export async function packRelease({ release, folder, version, atS, keyFile }: Packing): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const name = `lookout-${version}-${process.platform}-${process.arch}`;
  const [archive, sbom] = [`${name}.tar.gz`, `${name}.cdx.json`];
  await writeArchive(release, join(folder, archive), name, atS);
  copyFileSync(join(release, 'sbom.cdx.json'), join(folder, sbom));
  const lines = await Promise.all(
    [archive, sbom].map(async (file) => `${(await digestOf(join(folder, file))).sha256}  ${file}\n`),
  );
  writeFileSync(join(folder, SUMS), lines.join(''));
  rmSync(join(folder, `${SUMS}.sig`), { force: true });
  if (keyFile === undefined) return [archive, sbom, SUMS];
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', keyFile, '-n', SIGNED_FOR, join(folder, SUMS)], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  return [archive, sbom, SUMS, `${SUMS}.sig`];
}

/** Node compresses: other versions of gzip make other bytes. */
async function writeArchive(release: string, archive: string, name: string, atS: number): Promise<void> {
  const equal = ['--sort=name', '--format=gnu', `--mtime=@${atS}`, '--owner=0', '--group=0', '--numeric-owner'];
  const tar = spawn('tar', ['--create', ...equal, `--transform=flags=r;s,^\\.,${name},`, '--directory', release, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' } as unknown as NodeJS.ProcessEnv,
  });
  const ended = new Promise<number | null>((resolve, reject) => tar.once('close', resolve).once('error', reject));
  await pipeline(tar.stdout, createGzip({ level: 9 }), createWriteStream(archive));
  if ((await ended) !== 0) throw new Error('GNU tar failed, see above: a release is packed on Linux.');
}
