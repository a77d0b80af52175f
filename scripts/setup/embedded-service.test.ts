import { expect, test } from 'vitest';
import { embeddedProblems } from './embedded-service.ts';

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
