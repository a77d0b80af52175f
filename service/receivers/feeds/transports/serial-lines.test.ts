import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fastSurroundings, makeRecordedInlet } from '../recorded-inlet.fixture.ts';
import { serialLines } from './serial-lines.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** util-linux's `script` makes a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0;
const withTerminal = hasScript ? test : test.skip;
if (!hasScript) process.stderr.write('script of util-linux is missing: lines of a serial device are not tested\n');

interface Device {
  readonly path: string;
  write(text: string): void;
  unplug(): Promise<void>;
}

async function plugIn(): Promise<Device> {
  const script: ChildProcess = spawn('script', ['-qefc', 'tty; exec sleep 60', '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(script, 'exit');
  const unplug = async () => {
    script.kill('SIGKILL');
    await exited;
  };
  cleanUps.push(unplug);
  let said = '';
  for await (const chunk of script.stdout!) {
    said += chunk;
    if (said.includes('\n')) break;
  }
  return { path: said.trim(), write: (text) => script.stdin!.write(text), unplug };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'lookout-serial-'));
  cleanUps.push(() => rm(made, { recursive: true }));
  return made;
}

function listen(path: string, baud = 115_200) {
  const recorded = makeRecordedInlet();
  const connection = serialLines({ path, baud })(recorded.inlet, fastSurroundings);
  cleanUps.push(() => connection.close());
  return { ...recorded, connection };
}

withTerminal('its lines are handed in as they come', async () => {
  const device = await plugIn();
  const { until } = listen(device.path);
  await until('connected');
  device.write('{"a":1}\r\n{"b"');
  await until('message {"a":1}');
  device.write(':2}\r\n');
  expect(await until('message {"b":2}')).toEqual(['message {"b":2}']);
});

withTerminal('a line that does not end is dropped', async () => {
  const device = await plugIn();
  const { until } = listen(device.path);
  await until('connected');
  for (let part = 0; part < 10; part += 1) device.write('x'.repeat(500));
  await until('refuse too_long');
  device.write('\nshort\n');
  await until('message short');
});

withTerminal('a device that is unplugged is read again once it is plugged in', async () => {
  const place = join(await folder(), 'ttyUSB0');
  const first = await plugIn();
  await symlink(first.path, place);
  const { until } = listen(place);
  await until('connected');
  await unlink(place);
  await first.unplug();
  await until('lost no such file');
  const second = await plugIn();
  await symlink(second.path, place);
  await until('connected');
  second.write('back\n');
  await until('message back');
});

withTerminal('reports a rate that the device does not have', async () => {
  const device = await plugIn();
  await listen(device.path, 123).until('lost stty does not set it to 123 baud');
});

test('refuses a file that is no device', async () => {
  const path = join(await folder(), 'file');
  await writeFile(path, '{"a":1}\n');
  const { until, events } = listen(path);
  await until('lost it is not a serial device');
  expect(events).toEqual([]);
});

withTerminal('once closed it says nothing, and the device is free', async () => {
  const device = await plugIn();
  const { until, events, connection } = listen(device.path);
  await until('connected');
  await connection.close();
  device.write('late\n');
  const { until: untilOther } = listen(device.path);
  await untilOther('message late');
  expect(events).toEqual([]);
});
