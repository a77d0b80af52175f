import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const ENDS = `
import { makeLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
const { log, end } = makeLog('info');
process.stdin.once('data', async () => {
  log.warn('broken off');
  log.warn('and what waits behind it');
  await end();
  process.exit(0);
});
process.stdout.write('ready');
`;

async function startEnding() {
  const child = spawn(process.execPath, ['--conditions=react-server', '--input-type=module', '-e', ENDS]);
  await once(child.stdout, 'data');
  return child;
}

test('The last lines are written before the process ends', async () => {
  const child = await startEnding();
  child.stdin.write('end');
  const lines = (await text(child.stderr)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['broken off', 'and what waits behind it']);
});

test('A process ends although its log is no longer read', async () => {
  const child = await startEnding();
  child.stderr.destroy();
  child.stdin.write('end');
  const killed = setTimeout(() => child.kill('SIGKILL'), 10_000);
  expect(await once(child, 'exit')).toEqual([0, null]);
  clearTimeout(killed);
});
