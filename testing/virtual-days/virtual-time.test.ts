import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { expect, test } from 'vitest';
import { VirtualTime } from './virtual-time.ts';

const DAY_MS = 86_400_000;
const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

test('a day of timers passes in their order, at the times that they were set for', async () => {
  const time = new VirtualTime(1000);
  const fired: [string, number][] = [];
  const note = (name: string) => fired.push([name, time.nowMs]);
  time.in(0, () => {
    setTimeout(() => note('hour'), DAY_MS / 24);
    const ticking = setInterval(() => {
      note('tick');
      if (time.nowMs > DAY_MS / 4) clearInterval(ticking);
    }, DAY_MS / 6);
    clearTimeout(setTimeout(() => note('cleared'), 10));
  });
  await time.runUntil(DAY_MS);
  expect(fired).toEqual([
    ['hour', 1000 + DAY_MS / 24],
    ['tick', 1000 + DAY_MS / 6],
    ['tick', 1000 + DAY_MS / 3],
  ]);
  expect(time.nowMs).toBe(DAY_MS);
});

test('no time passes while zlib compresses', async () => {
  const time = new VirtualTime(0);
  const order: string[] = [];
  time.in(0, () => {
    const text = Buffer.alloc(1_000_000, 'abc');
    const packed = deflate(text).then((bytes) => inflate(bytes));
    packed.then(
      (bytes) => order.push(`${text.equals(bytes) ? 'packed' : 'changed'} at ${time.nowMs}`),
      () => order.push('failed'),
    );
    inflate(Buffer.from('damaged')).catch(() => order.push(`refused at ${time.nowMs}`));
    setTimeout(() => order.push('timer'), 1);
  });
  await time.runUntil(10);
  expect(order.at(-1)).toBe('timer');
  expect(new Set(order)).toEqual(new Set(['packed at 0', 'refused at 0', 'timer']));
});

test('timers of a killed process do not fire, those of the next one do', async () => {
  const time = new VirtualTime(0);
  const fired: string[] = [];
  time.in(0, () => setTimeout(() => fired.push('killed'), 100));
  time.in(50, () => {
    time.dropTimers();
    setTimeout(() => fired.push('next'), 100);
  });
  await time.runUntil(1000);
  expect(fired).toEqual(['next']);
});

test('timers are real again afterwards, also where an event throws', async () => {
  const real = globalThis.setTimeout;
  const time = new VirtualTime(0);
  time.in(1, () => {
    throw new Error('a defect');
  });
  await expect(time.runUntil(10)).rejects.toThrow('a defect');
  expect(globalThis.setTimeout).toBe(real);
});
