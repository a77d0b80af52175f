import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readServeOptions } from './read-serve-options.ts';

function problemsOf(args: readonly string[], environment = {}): readonly string[] {
  const read = readServeOptions(args, environment);
  return read.ok ? [] : read.problems;
}

const WITHOUT_DATA = {
  dataDir: undefined,
  receivers: undefined,
  pushPort: undefined,
  keepDays: undefined,
  keepBytes: undefined,
  oneKey: false,
  proxies: undefined,
};

describe('readServeOptions', () => {
  test('without options: the simulator on loopback', () => {
    expect(readServeOptions([], {})).toEqual({
      ok: true,
      options: {
        host: '127.0.0.1',
        port: 8787,
        source: { kind: 'simulator', seed: 1, aircraft: 400, drones: 60 },
        prefix: 'LKT',
        allowance: { perMinute: 600, perDay: 200_000 },
        ...WITHOUT_DATA,
        control: false,
        announce: false,
        isCounted: true,
        exitWithParent: false,
        apiKey: undefined,
      },
    });
  });

  test('every option is read', () => {
    const line =
      '--port 0 --host ::1 --source simulator --tracks 20000,0 --seed 7 --prefix PFX --allowance 10,20 --control --announce --exit-with-parent';
    const read = readServeOptions(line.split(' '), { SERVICE_API_KEY: 'a-key-of-20-letters-or-more' });
    expect(read).toEqual({
      ok: true,
      options: {
        host: '::1',
        port: 0,
        source: { kind: 'simulator', seed: 7, aircraft: 20_000, drones: 0 },
        prefix: 'PFX',
        allowance: { perMinute: 10, perDay: 20 },
        ...WITHOUT_DATA,
        control: true,
        announce: true,
        isCounted: true,
        exitWithParent: true,
        apiKey: 'a-key-of-20-letters-or-more',
      },
    });
  });

  test('a service over a data directory, behind proxies', () => {
    const read = readServeOptions('--data some/where --proxies 127.0.0.1,10.0.0.0/8,::1'.split(' '), {});
    if (!read.ok) throw new Error(read.problems.join());
    const { dataDir, proxies } = read.options;
    expect(dataDir).toBe('some/where');
    expect([proxies?.check('10.1.2.3'), proxies?.check('::1', 'ipv6'), proxies?.check('11.1.2.3')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('the past of receivers has limits', () => {
    const line = '--data d --receivers http://pi.local/tar1090 --keep-days 3 --keep-gb 20';
    expect(readServeOptions(line.split(' '), {})).toMatchObject({
      ok: true,
      options: { keepDays: 3, keepBytes: 20_000_000_000 },
    });
  });

  test('recordings are a list of files', () => {
    expect(readServeOptions(['--source=recording:a/rid-1.gz,adsb-2.gz'], {})).toMatchObject({
      ok: true,
      options: { source: { kind: 'recording', files: ['a/rid-1.gz', 'adsb-2.gz'] } },
    });
  });

  test.each([
    ['--port 65536', 'write a port'],
    ['--port -1', 'write a port'],
    ['--port', 'needs a value'],
    ['--port 1 --port 2', 'given twice'],
    ['--source radar', 'write simulator, or recording:'],
    ['--source recording:', 'write simulator, or recording:'],
    ['--source recording:a,,b', 'write simulator, or recording:'],
    ['--tracks 400', 'write AIRCRAFT,DRONES'],
    ['--tracks 1,2,3', 'write AIRCRAFT,DRONES'],
    ['--tracks 1.5,2', 'write AIRCRAFT,DRONES'],
    ['--source recording:rid-a.gz --tracks 1,2', 'leave it out'],
    ['--source recording:rid-a.gz --seed 1', 'leave it out'],
    ['--seed -3', 'write a whole number'],
    ['--prefix a-b', 'letters and digits'],
    ['--allowance 0,10', 'write PER_MINUTE,PER_DAY'],
    ['--data d --allowance 1,2', 'write account set NAME'],
    ['--data=', 'write the directory'],
    ['--keep-days 5', 'write --data DIR and --feeds FILE'],
    ['--data d --receivers http://pi/tar1090 --keep-days 31', 'from 1 to 30'],
    ['--data d --receivers http://pi/tar1090 --keep-gb 0.5', 'a whole number of gigabytes'],
    ['--proxies nginx', 'write the addresses'],
    ['--proxies 10.0.0.0/33', 'write the addresses'],
    ['--proxies 127.0.0.1,', 'write the addresses'],
    ['--control=yes', 'write --control alone'],
    ['--speed 3', 'is unknown'],
    ['extra', 'leave it out'],
  ])('"%s" is refused, with what to write instead', (line, instead) => {
    expect(problemsOf(line.split(' ')).join('\n')).toContain(instead);
  });

  test('all problems are reported at once', () => {
    expect(problemsOf('--port x --tracks y --nonsense --prefix !'.split(' ')).length).toBe(4);
  });

  test('a key that is not valid in a header is refused, and not echoed', () => {
    const [problem] = problemsOf([], { SERVICE_API_KEY: 'short key' });
    expect(problem).toContain('SERVICE_API_KEY');
    expect(problem).not.toContain('short key');
    expect(problemsOf([], { SERVICE_API_KEY: '' })).toEqual([]);
  });
});

test('a comma in the path of a recording is part of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'serve,options-'));
  const files = ['rid,a.gz', 'rid.gz'].map((name) => join(folder, name));
  for (const file of files) await writeFile(file, '');
  expect(readServeOptions([`--source=recording:${files.join(',')},other.gz`], {})).toMatchObject({
    options: { source: { files: [...files, 'other.gz'] } },
  });
  await rm(folder, { recursive: true });
});
