import { mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Connection } from '../feed.ts';
import { fastSurroundings, makeRecordedInlet } from '../recorded-inlet.fixture.ts';
import { filePoll } from './file-poll.ts';

let folder: string;
let connection: Connection | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-poll-test-'));
});
afterEach(async () => {
  await connection?.close();
  await rm(folder, { recursive: true });
});

function read(path: string) {
  const recorded = makeRecordedInlet();
  connection = filePoll(path)(recorded.inlet, fastSurroundings);
  return recorded;
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

test('reads each version of the file once', async () => {
  const path = join(folder, 'aircraft.json');
  await replace(path, 'first');
  const { until, events } = read(path);
  expect(await until('message first')).toEqual(['connected', 'message first']);
  await until('connected');
  await until('connected');
  expect(events).not.toContain('message first');
  await replace(path, 'other');
  await until('message other');
});

test('waits for a missing file', async () => {
  const path = join(folder, 'aircraft.json');
  const { until } = read(path);
  await until('lost no such file');
  await replace(path, 'there');
  await until('message there');
  await unlink(path);
  await until('lost no such file');
  await replace(path, 'back');
  await until('message back');
});

test('does not open a pipe', async () => {
  const path = join(folder, 'folder');
  await mkdir(path);
  await read(path).until('lost it is not a file');
});

test('does not read a file of gigabytes', async () => {
  const path = join(folder, 'aircraft.json');
  await replace(path, 'x'.repeat(8 * 1024 * 1024 + 1));
  await read(path).until('refuse too_long');
});
