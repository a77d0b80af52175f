import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instantOf } from '#lib/time/instant.ts';
import { confirmedDeletions } from '../data-dir/confirmed-deletion.ts';
import { runPastCommand } from './receiver-commands.ts';

const NOW = instantOf('2026-11-26T12:00:00Z');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lookout-confirmed-'));
});
afterAll(() => rm(dir, { recursive: true }));

const confirmedDeletion = (path: string) => confirmedDeletions(path, (entry) => expect.unreachable(entry))();

test('past delete confirms a time, which the service reads', () => {
  expect(confirmedDeletion(dir)).toBeUndefined();
  const before = '2026-10-27T06:30:00.000Z';
  expect(runPastCommand(['delete', '--data', dir, '--before', before], NOW)?.ok).toBe(true);
  expect(confirmedDeletion(dir)).toEqual(instantOf(before));
  expect(runPastCommand(['delete', '--data', dir, '--before', '2026-10-28', '--json'], NOW)).toEqual({
    ok: true,
    output: '{"confirmed_before":"2026-10-28T00:00:00.000Z"}\n',
  });
  expect(confirmedDeletion(dir)).toEqual(instantOf('2026-10-28T00:00:00Z'));
});

test('past delete refuses a time that is missing, none, or still to come, and a directory that is not there', () => {
  for (const given of [[], ['--before', 'yesterday'], ['--before', '2026-11-27']])
    expect(runPastCommand(['delete', '--data', dir, ...given], NOW)).toMatchObject({ ok: false, exitCode: 2 });
  expect(runPastCommand(['delete', '--data', join(dir, 'none'), '--before', '2026-10-28'], NOW)).toMatchObject({
    ok: false,
    exitCode: 1,
  });
  expect(runPastCommand(['keep'], NOW)).toBeUndefined();
});

test('past delete leaves the confirmation of a newer Lookout, and reads one from before versions', () => {
  const file = join(dir, 'past-may-be-deleted-before');
  writeFileSync(file, '2026-10-20T00:00:00.000Z\n');
  expect(confirmedDeletion(dir)).toEqual(instantOf('2026-10-20T00:00:00Z'));
  writeFileSync(file, '2:in a form to come\n');
  expect(runPastCommand(['delete', '--data', dir, '--before', '2026-10-28'], NOW)).toMatchObject({
    ok: false,
    problems: [expect.stringContaining('was written by a newer Lookout (version 2, this one reads 1): ')],
  });
  expect(readFileSync(file, 'utf8')).toBe('2:in a form to come\n');
});
