import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { descendantsOf, machineTimes, ownSeconds, processorSeconds, timesOf, treeSeconds } from './processor-time.ts';

const BUSY = 'for (const end = process.cpuUsage().user + 3e5; process.cpuUsage().user < end; );';

describe.skipIf(process.platform !== 'linux')('processor time', () => {
  test('has that of children that ended', () => {
    const before = ownSeconds();
    spawnSync(process.execPath, ['-e', BUSY]);
    expect(ownSeconds() - before).toBeGreaterThan(0.28);
  });

  test('has that of processes that still run, children of children too', async () => {
    const before = treeSeconds();
    const ownBefore = ownSeconds();
    const script = `${BUSY} process.stdout.write('ready'); process.stdin.once('end', () => {}).resume();`;
    const outer = spawn('sh', ['-c', '"$0" -e "$1"; true', process.execPath, script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(outer.stdout, 'data');
      expect(descendantsOf(process.pid)).toContain(outer.pid);
      expect(treeSeconds() - before - (ownSeconds() - ownBefore)).toBeGreaterThan(0.28);
      expect(processorSeconds(outer.pid!)).toBeLessThan(0.2);
    } finally {
      outer.stdin.end();
      await once(outer, 'exit');
    }
    expect(timesOf(outer.pid!)).toBeUndefined();
    expect(processorSeconds(outer.pid!)).toBe(0);
  });

  test('of the machine has the idle time of its processors', () => {
    const { idleSeconds, allSeconds } = machineTimes()!;
    expect(idleSeconds).toBeGreaterThan(0);
    expect(allSeconds).toBeGreaterThan(idleSeconds);
  });
});
