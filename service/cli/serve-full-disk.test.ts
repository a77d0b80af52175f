import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { cannotMount, mountSmallDisk, type SmallDisk } from '../data-dir/small-disk.fixture.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { endProcesses, run } from './service-process.fixture.ts';

interface Ready {
  readonly base_url: string;
  readonly api_key: string;
}

describe.skipIf(cannotMount !== undefined)(`a service on a full or read-only disk ${cannotMount ?? ''}`, () => {
  let disk: SmallDisk;
  let data: string;
  let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
  const prepare = async () => {
    data = mkdtempSync(join(tmpdir(), 'lookout-small-'));
    disk = await mountSmallDisk(data, 1_000_000);
    receiver = await startMovingAircraft({ count: 12 });
  };
  const clear = async () => {
    endProcesses();
    await receiver.close();
    await disk.remove();
  };

  const serve = () =>
    run(['serve', '--port', '0', '--data', data, '--receivers', receiver.url, '--one-key'], {}, disk.within);
  const serveAccounts = () => run(['serve', '--port', '0', '--data', data], {}, disk.within);
  const count = async ({ base_url, api_key }: Ready) => {
    const headers = { authorization: `Bearer ${api_key}` };
    const answer = await fetch(`${base_url}/live/adsb?bbox=7,46,19,50`, { headers });
    return (await answer.json()).data.length as number;
  };
  const allLive = (ready: Ready) => eventually(async () => expect(await count(ready)).toBe(12));

  describe('One disk over all starts', () => {
    let running: ReturnType<typeof serve>;
    beforeAll(prepare);
    afterAll(clear);

    test('names the folder and what to do where it was never started before', async () => {
      disk.fill();
      const { code, stderr } = await serve().ended;
      expect(stderr).toContain(data);
      expect(stderr).toMatch(/[Mm]ake room/);
      expect(code).toBe(1);
      disk.free();
      running = serve();
      await allLive(await running.ready);
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)(
      'serves what is received where it was full at the start after %s, and records again when there is room',
      async (signal) => {
        running.child.kill(signal);
        await running.ended;
        disk.fill();

        running = serve();
        await allLive(await running.ready);
        await eventually(() => expect(running.output.stderr).toContain('past: disk_full'));
        disk.free();
        await eventually(() => expect(running.output.stderr).toContain('past: write: works again'));
      },
    );

    test('names the folder and what to do where the disk is read-only', async () => {
      running.child.kill('SIGTERM');
      await running.ended;
      disk.makeReadOnly();
      const { code, stderr } = await serve().ended;
      expect(stderr).toContain(data);
      expect(stderr).toMatch(/read-only.*[Mm]ount/s);
      expect(code).toBe(1);
    });
  });

  describe('With accounts', () => {
    beforeAll(async () => {
      await prepare();
      const before = serveAccounts();
      await before.ready;
      before.child.kill('SIGTERM');
      await before.ended;
    });
    afterAll(clear);

    test.each([
      ['full', (of: SmallDisk) => of.fill(), /[Mm]ake room/, (of: SmallDisk) => of.free()],
      ['read-only', (of: SmallDisk) => of.makeReadOnly(), /[Mm]ount/, (of: SmallDisk) => of.makeWritable()],
    ] as const)('serves, or names the folder and what to do, where it is %s', async (_, spoil, remedy, repair) => {
      spoil(disk);
      const after = serveAccounts();
      const outcome = await Promise.race([after.ready.then(() => 'serves'), after.ended]);
      if (outcome === 'serves') {
        after.child.kill('SIGTERM');
        await after.ended;
      } else {
        const { code, stderr } = await after.ended;
        expect(stderr).toContain(data);
        expect(stderr).toMatch(remedy);
        expect(code).toBe(1);
      }
      repair(disk);
    });
  });
});
