import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test.each([
  ['unhandledRejection', "Promise.reject(new Error('rejected without a handler'))"],
  ['uncaughtException', "setTimeout(() => { throw new Error('thrown without a handler'); })"],
])('an error that nothing handles ends the process with one line, after an %s', async (event, statement) => {
  const script = `
    import { pino } from 'pino';
    import { crashWithLine } from './scripts/serving/process-log.ts';
    crashWithLine(pino(pino.destination({ fd: 2, sync: false })));
    // As Next does, which goes on after it.
    process.on(${JSON.stringify(event)}, () => undefined);
    setInterval(() => undefined, 1000);
    ${statement};`;
  const ended = run(process.execPath, ['--input-type=module', '--eval', script]);
  const failure = await ended.then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  );
  expect(failure?.code).toBe(1);
  const lines = failure?.stderr.trim().split('\n') ?? [];
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 60, event, msg: 'Lookout has crashed' });
});
