import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { consoleToLog } from './process-log.ts';

function started() {
  const stream = new PassThrough();
  const printed = new PassThrough();
  const target = new Console(printed);
  consoleToLog(pino({ level: 'debug', base: null }, stream), target);
  const lines = () => String(stream.read() ?? '');
  return { target, printed, lines };
}

test('turns a print into a log event of the same level', () => {
  const { target, printed, lines } = started();
  target.error('The page %s failed', '/sign-in', new Error('no such page'));
  expect(JSON.parse(lines())).toMatchObject({
    level: 50,
    source: 'console',
    msg: expect.stringMatching(/^The page \/sign-in failed Error: no such page\n {4}at /),
  });
  target.log('ready');
  expect(JSON.parse(lines())).toMatchObject({ level: 30, msg: 'ready' });
  expect(printed.read()).toBeNull();
});

test('no text in it breaks the line, turns it around or colours a terminal', () => {
  const { target, lines } = started();
  const hostile = fc.string({ unit: fc.constantFrom(...'a\n\r\u001b[\u0000\u009b\u2028\u202e\u2066"}{\u0085%s') });
  fc.assert(
    fc.property(hostile, hostile, (text, other) => {
      target.warn(`x${text}`, other);
      const line = lines();
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      expect(() => JSON.parse(line)).not.toThrow();
    }),
  );
});
