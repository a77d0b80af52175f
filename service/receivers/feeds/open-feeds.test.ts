import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadFeedsFile } from './open-feeds.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setting-files-test-'));
  const newCertificate = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    '/dev/null',
  ];
  execFileSync('openssl', [...newCertificate, '-out', join(folder, 'ca.pem')], { stdio: 'ignore' });
  await writeFile(join(folder, 'password'), 'secret\n');
  await writeFile(join(folder, 'empty'), '\n');
  await writeFile(join(folder, 'lines'), 'me\nsecret\n');
  await writeFile(join(folder, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  await mkdir(join(folder, 'a-folder'));
});
afterAll(() => rm(folder, { recursive: true }));

async function problemsOf(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const path = join(folder, 'feeds.json');
  const feed = { id: 'a', url: 'dronescout+mqtts://broker', username: 'me', password_file: 'password', ...settings };
  await writeFile(path, JSON.stringify({ feeds: [feed] }));
  const { read } = await loadFeedsFile(path);
  return read.ok ? [] : read.problems;
}

test('resolves paths from the folder of the file of feeds', async () => {
  expect(await problemsOf({ ca_file: 'ca.pem' })).toEqual([]);
});

test.each<[Readonly<Record<string, string>>, string]>([
  [{ ca_file: '/nowhere' }, 'feeds[0].ca_file: /nowhere cannot be read: no such file'],
  [{ ca_file: 'password' }, 'has no certificate in PEM'],
  [{ ca_file: 'broken.pem' }, 'has a certificate that cannot be read'],
  [{ password_file: '/nowhere/at/all' }, 'feeds[0].password_file: /nowhere/at/all cannot be read: no such file'],
  [{ password_file: 'a-folder' }, 'is not a file'],
  [{ password_file: 'empty' }, 'is empty: write the password into it'],
  [{ password_file: 'lines' }, 'has several lines'],
])('%o is refused at the start: %s', async (settings, problem) => {
  expect(await problemsOf(settings)).toEqual([expect.stringContaining(problem)]);
});

test('names all mistakes at once', async () => {
  expect(await problemsOf({ ca_file: '/nowhere', password_file: '/nowhere' })).toHaveLength(2);
});
