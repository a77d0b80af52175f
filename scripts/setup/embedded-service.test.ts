import { expect, test } from 'vitest';
import { embeddedProblems, embeddedSource } from './embedded-service.ts';

const problems = (environment: Readonly<Record<string, string>>) => embeddedProblems(environment as NodeJS.ProcessEnv);

test('wrong settings of the embedded service are reported all at once, under the names of their environment variables', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ EMBEDDED_SOURCE: 'recording:a.jsonl.gz' })).toEqual([]);
  expect(problems({ EMBEDDED_SOURCE: 'radar', EMBEDDED_TRACKS: 'many', EMBEDDED_SEED: '-1' })).toEqual([
    expect.stringMatching(/^EMBEDDED_SEED -1: /),
    expect.stringMatching(/^EMBEDDED_TRACKS many: /),
    expect.stringMatching(/^EMBEDDED_SOURCE radar: /),
  ]);
  expect(problems({ EMBEDDED_SOURCE: 'recording:a.jsonl.gz', EMBEDDED_TRACKS: '4,1' })).toEqual([
    'EMBEDDED_TRACKS applies to the simulator only: leave it out with EMBEDDED_SOURCE recording:…',
  ]);
});

test('with receivers the embedded service plays nothing, and keeps what it receives', () => {
  const source = (settings: Readonly<Record<string, string>>) => embeddedSource(settings as NodeJS.ProcessEnv);
  expect(source({ RECEIVERS: 'http://pi.local/tar1090, sbs://hill', DATA_DIR: '/srv/lookout' })).toEqual([
    '--receivers',
    'http://pi.local/tar1090, sbs://hill',
    '--data',
    '/srv/lookout/receivers',
    '--one-key',
  ]);
  expect(source({ RECEIVERS: 'feeds.json' }).slice(0, 2)).toEqual(['--feeds', 'feeds.json']);
  expect(source({ RECEIVERS: ' ' })[1]).toBe('simulator');
  expect(problems({ RECEIVERS: 'http://pi.local/tar1090' })).toEqual([]);
  expect(problems({ RECEIVERS: 'pi.local,radar://roof', EMBEDDED_TRACKS: '4,1' })).toEqual([
    'EMBEDDED_TRACKS has no effect with RECEIVERS: leave out one of them',
    expect.stringMatching(/^RECEIVERS pi\.local: write an address such as/),
    expect.stringMatching(/^RECEIVERS radar:\/\/roof: write one of http/),
  ]);
});
