// Removes the differences between two builds of the same files.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const prerenderSchema = z.looseObject({ preview: z.record(z.string(), z.string().regex(/^[0-9a-f]{32,64}$/)) });
const actionsSchema = z.looseObject({ encryptionKey: z.base64() });

/**
 * Next makes random keys for previews and server actions, which Lookout has none of, and writes the folder of the build
 * into its settings. Keys in a release are no secrets, so these come from the build instead.
 * @param root folder of the build
 */
export function makeSameFiles(root: string, release: string): void {
  const next = join(release, '.next');
  moveFolder(join(next, 'required-server-files.json'), root);
  const build = readFileSync(join(next, 'BUILD_ID'), 'utf8');
  const digest = (name: string) => createHash('sha256').update(`${build} ${name}`).digest();
  const { preview } = prerenderSchema.parse(JSON.parse(readFileSync(join(next, 'prerender-manifest.json'), 'utf8')));
  const actions = readFileSync(join(next, 'server/server-reference-manifest.json'), 'utf8');
  const { encryptionKey } = actionsSchema.parse(JSON.parse(actions));
  const replaced: readonly (readonly [string, string])[] = [
    ...Object.entries(preview).map(([name, key]) => [key, digest(name).toString('hex').slice(0, key.length)] as const),
    [encryptionKey, digest('actions').toString('base64')],
  ];
  for (const entry of readdirSync(next, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || file.startsWith(join(next, 'static/'))) continue;
    const text = readFileSync(file, 'latin1');
    const same = replaced.reduce((made, [from, to]) => made.replaceAll(from, to), text);
    if (same !== text) writeFileSync(file, same, 'latin1');
  }
}

/** The build's settings name its folder, and Next reads the file at a start. */
function moveFolder(file: string, root: string): void {
  const inRoot = (text: string) => text === root || text.startsWith(`${root}/`);
  const moved: unknown = JSON.parse(readFileSync(file, 'utf8'), (_, value: unknown) =>
    typeof value === 'string' && inRoot(value) ? `/lookout${value.slice(root.length)}` : value,
  );
  writeFileSync(file, JSON.stringify(moved));
}

interface Sbom {
  readonly metadata: { readonly component: object };
  readonly serialNumber?: unknown;
}

/** Without what npm writes into a list of packages for each run: the time, a random number, and the folder's name. */
export function sameSbom<Listed extends Sbom>(sbom: Listed, atS: number) {
  const { serialNumber: _, ...listed } = sbom;
  const timestamp = new Date(atS * 1000).toISOString();
  const component = { ...sbom.metadata.component, name: 'lookout', type: 'application' };
  return { ...listed, metadata: { ...sbom.metadata, timestamp, component } };
}

/** Seconds since 1970 of the commit, or of `SOURCE_DATE_EPOCH`. @throws Error that says what to set */
export function timeOfSources(root: string): number {
  const commit = () => spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).stdout;
  const text = process.env.SOURCE_DATE_EPOCH ?? (existsSync(join(root, '.git')) ? commit() : '');
  if (/^\d+\s*$/.test(text)) return Number(text);
  throw new Error('Without git, set SOURCE_DATE_EPOCH to the time of the commit in seconds.');
}
