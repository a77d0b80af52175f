import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeEach, expect, test } from 'vitest';
import { packRelease, SUMS } from './pack.ts';
import { makeSameFiles, sameSbom } from './same-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-pack-'));
});

const FILES = ['a.txt', 'b/c.txt', 'b/ä b.txt', 'Z', 'sbom.cdx.json', 'bin/node'];

/** The files of a release, made in this order. */
function release(name: string, order = FILES): string {
  const made = join(folder, name);
  for (const file of order) {
    mkdirSync(join(made, file, '..'), { recursive: true });
    writeFileSync(join(made, file), file);
  }
  return made;
}
const pack = (from: string, to: string, keyFile?: string) =>
  packRelease({ release: from, folder: join(folder, to), version: '1.2.3', atS: 1_790_000_000, keyFile });
const sums = (to: string) => readFileSync(join(folder, to, SUMS), 'utf8');

test('equal files in another folder, made in another order and at another time, make the same archive', async () => {
  await pack(release('lookout'), 'one');
  const other = release('other.name,^', FILES.toReversed());
  utimesSync(join(other, 'a.txt'), 1, 1);
  await pack(other, 'two');
  expect(sums('two')).toBe(sums('one'));
  writeFileSync(join(other, 'a.txt'), 'changed');
  await pack(other, 'two');
  expect(sums('two')).not.toBe(sums('one'));
});

test('the archive has one folder with the version, of root, at the time of the commit', async () => {
  const [archive = ''] = await pack(release('lookout'), 'one');
  const listed = execFileSync('tar', ['-tvzf', join(folder, 'one', archive), '--utc', '--full-time'], {
    encoding: 'utf8',
  });
  const lines = listed.trim().split('\n');
  expect(lines.length).toBe(FILES.length + 3);
  for (const line of lines) expect(line).toMatch(/ 0\/0 .* 2026-09-21 14:13:20 lookout-1\.2\.3-\w+-\w+\//);
});

test('a signature is of its key, of these digests and for this purpose alone; without a key there is none', async () => {
  expect(await pack(release('lookout'), 'one')).not.toContain(`${SUMS}.sig`);
  for (const name of ['owner', 'stranger'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  const to = join(folder, 'one');
  expect(await pack(join(folder, 'lookout'), 'one', join(folder, 'owner'))).toContain(`${SUMS}.sig`);
  expect(readdirSync(to).join()).not.toContain('owner');
  const verified = (signer: string, namespace = 'lookout-release') => {
    const key = readFileSync(join(folder, `${signer}.pub`), 'utf8');
    writeFileSync(join(folder, 'signers'), `# of a test\nlookout-release namespaces="lookout-release" ${key}`);
    const args = ['-f', join(folder, 'signers'), '-I', 'lookout-release', '-n', namespace, '-s', `${SUMS}.sig`];
    return spawnSync('ssh-keygen', ['-Y', 'verify', ...args], { cwd: to, input: readFileSync(join(to, SUMS)) }).status;
  };
  expect(verified('owner')).toBe(0);
  expect(verified('stranger')).not.toBe(0);
  expect(verified('owner', 'git')).not.toBe(0);
  writeFileSync(
    join(to, SUMS),
    sums('one').replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  );
  expect(verified('owner')).not.toBe(0);
  // An unsigned one that replaces it has no signature of before.
  await pack(join(folder, 'lookout'), 'one');
  expect(readdirSync(to)).not.toContain(`${SUMS}.sig`);
});

test('builds that differ in random keys and in their folder become equal, and nothing else of them changes', () => {
  const built = (name: string, digit: string) => {
    const root = join('/somewhere', name);
    const next = join(folder, name, '.next');
    mkdirSync(join(next, 'server'), { recursive: true });
    mkdirSync(join(next, 'static'));
    const preview = { previewModeId: digit.repeat(32), previewModeSigningKey: digit.repeat(64) };
    const key = Buffer.alloc(32, digit).toString('base64');
    writeFileSync(join(next, 'BUILD_ID'), 'build');
    writeFileSync(join(next, 'prerender-manifest.json'), JSON.stringify({ preview, routes: {} }));
    writeFileSync(
      join(next, 'server/server-reference-manifest.json'),
      JSON.stringify({ node: {}, encryptionKey: key }),
    );
    writeFileSync(join(next, 'server/page.js'), `\u00e9 ${key} ${preview.previewModeId} /somewhere/else`);
    writeFileSync(
      join(next, 'required-server-files.json'),
      JSON.stringify({ appDir: root, files: [`${root}/x`, 'x'] }),
    );
    makeSameFiles(root, join(folder, name));
    return readdirSync(next, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.name}: ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
      .sort();
  };
  const one = built('one', 'a');
  expect(built('two', 'b')).toEqual(one);
  expect(one.join()).toContain('{"appDir":"/lookout","files":["/lookout/x","x"]}');
  expect(one.join()).toMatch(/page\.js: é [\w+/=]{44} [0-9a-f]{32} \/somewhere\/else/);
  expect(one.join()).not.toContain('aaaaaaaa');
});

test('lists of packages of two runs of npm are equal, and keep what they list', () => {
  const sbom = (name: string) => ({
    serialNumber: `urn:uuid:${name}`,
    metadata: { timestamp: name, component: { 'bom-ref': 'lookout@1', type: 'library', name } },
    components: [{ name: 'zod' }],
  });
  const one = sameSbom(sbom('one'), 1_790_000_000);
  expect(sameSbom(sbom('two'), 1_790_000_000)).toEqual(one);
  expect(one).toMatchObject({ components: [{ name: 'zod' }] });
});

test('a list of packages is CycloneDX for the validator of that project', async () => {
  const listed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { encoding: 'utf8' });
  const sbom = JSON.stringify(sameSbom(JSON.parse(listed), 1_790_000_000));
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
  expect(await validator.validate(sbom)).toBeNull();
  expect(await validator.validate(sbom.replace('"application"', '"program"'))).not.toBeNull();
}, 20_000);
