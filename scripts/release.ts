// npm run release [-- FOLDER]: makes a folder (default release) that runs without npm, packages or a build. With --pack, it
// also makes the files that are published.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { packRelease } from './release/pack.ts';
import { makeSameFiles, sameSbom, timeOfSources } from './release/same-files.ts';
import { writePrograms } from './release/write-programs.ts';
import { callersPath, readCommandLine, stop } from './setup/command-line.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';

const property = z.object({ name: z.string(), value: z.string() });
const sbomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string(), properties: z.array(property) })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say = (progress: string) => process.stdout.write(`${progress}\n`);
const usage = `release [FOLDER]   makes a release in FOLDER (release)
  --pack FOLDER   also writes the files to publish there: archive, list of packages, SHA256SUMS
  --key FILE      signs SHA256SUMS with this private key of ssh-keygen; or RELEASE_KEY_FILE
`;
const { values, positionals } = readCommandLine(usage, { pack: { type: 'string' }, key: { type: 'string' } });
if (positionals.length > 1 || (values.key !== undefined && values.pack === undefined)) stop(usage);
const keyFile = values.key ?? (process.env.RELEASE_KEY_FILE?.trim() || undefined);
const folder = positionals[0] === undefined ? join(root, 'release') : callersPath(positionals[0]);
const marker = join(folder, 'sbom.cdx.json');
if (existsSync(folder) && !existsSync(marker)) {
  process.stderr.write(`${folder} exists and is no release: name another folder, or delete it.\n`);
  process.exit(1);
}

await prepareBasemap(root, say);
await prepareBuild(root, say);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** By name, because an installation's folder may also hold keys, settings and data. */
const COPIED = {
  '.next/standalone': ['node_modules', 'package.json', '.next'],
  '.': ['.next/static', 'public/basemap', '.places/places.sqlite', 'CHANGELOG.md', 'SECURITY.md'],
  deploy: [
    ...['Caddyfile', 'Containerfile', 'compose-servers.yaml', 'compose.yaml', 'lookout.env.example'],
    ...['lookout-backup.service', 'lookout-backup.timer', 'lookout-service.service'],
    ...['lookout.service', 'lookout@.service', 'nginx.conf', 'traefik.yml'],
  ],
} as const;
// Resolved links would lead back into the folder of the build.
for (const name of COPIED['.next/standalone'])
  cpSync(join(root, '.next/standalone', name), join(folder, name), { recursive: true, verbatimSymlinks: true });
for (const name of COPIED['.']) cpSync(join(root, name), join(folder, name), { recursive: true, dereference: true });
for (const name of ['docs', 'ops'])
  cpSync(join(root, name), join(folder, name), {
    recursive: true,
    filter: (source) => statSync(source).isDirectory() || /\.(md|png|json|yml)$/.test(source),
  });
for (const name of COPIED.deploy) cpSync(join(root, 'deploy', name), join(folder, 'deploy', name));
// Our own server imports these files.
for (const file of ['next.js', 'config.js']) {
  const path = `node_modules/next/dist/server/${file}`;
  if (!existsSync(join(folder, path))) cpSync(join(root, path), join(folder, path));
}
await writePrograms(root, folder);
makeSameFiles(root, folder);

// npm's --omit=dev also omits packages that development needs as well.
const listed = spawnSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 64 * 1024 * 1024,
});
if (listed.status !== 0) {
  process.stderr.write('npm sbom failed, see above.\n');
  process.exit(1);
}
const sbom = sbomSchema.parse(JSON.parse(listed.stdout));
const LEFT_OUT = /^(sharp|@img\/.+|detect-libc)@/;
const components = sbom.components.filter(
  ({ 'bom-ref': ref, properties }) =>
    !properties.some(({ name }) => name === 'cdx:npm:package:development') && !LEFT_OUT.test(ref.replace(/^.*\|/, '')),
);
const kept = new Set(components.map((component) => component['bom-ref']));
const dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref) || ref === sbom.metadata.component['bom-ref'])
  .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => kept.has(ref)) }));
const atS = timeOfSources(root);
const made = sameSbom({ ...sbom, components, dependencies }, atS);
writeFileSync(marker, JSON.stringify(made, undefined, 2));
// Another user than the builder runs it.
chmodSync(folder, 0o755);
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isDirectory()) chmodSync(path, 0o755);
  if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
}

if (values.pack !== undefined) {
  const to = callersPath(values.pack);
  const key = keyFile && callersPath(keyFile);
  const packed = await packRelease({ release: folder, folder: to, version: LOOKOUT_VERSION, atS, keyFile: key });
  say(`Packed in ${to}: ${packed.join(', ')}`);
  if (keyFile === undefined) say('It is not signed: name the owner’s private key with --key FILE or RELEASE_KEY_FILE.');
}
say(`The release is in ${folder}; start it with: DATA_DIR=/var/lib/lookout ${join(folder, 'lookout')}`);
