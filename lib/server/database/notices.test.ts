import { expect, test, vi } from 'vitest';
import { Listeners } from './notices.ts';

test('a listener receives equal notices within 50 ms once, and more than 64 others as any number', () => {
  vi.useFakeTimers();
  try {
    const listeners = new Listeners();
    const received: (string | undefined)[] = [];
    listeners.add('zones', (text) => received.push(text), /^\d+$/);
    for (let count = 0; count < 1000; count++) listeners.publish('zones', '7');
    expect(received).toEqual(['7']);
    vi.advanceTimersByTime(50);
    expect(received).toEqual(['7', '7']);
    for (let count = 0; count < 10_000; count++) listeners.publish('zones', String(count));
    vi.advanceTimersByTime(50);
    expect(received).toEqual(['7', '7', undefined]);
    vi.advanceTimersByTime(1000);
    expect(received).toHaveLength(3);
    listeners.publish('zones', '8');
    expect(received.at(-1)).toBe('8');
  } finally {
    vi.useRealTimers();
  }
});

test('a listener receives no text of another form or topic', () => {
  const listeners = new Listeners();
  const received: (string | undefined)[] = [];
  const end = listeners.add('zones', (text) => received.push(text));
  expect([listeners.publish('zones', 'x'), listeners.publish('alarms', ''), listeners.publish('zones', '')]).toEqual([
    false,
    true,
    true,
  ]);
  expect(received).toEqual(['']);
  end();
  expect(listeners.publish('zones', 'x'), 'without a listener nothing is refused').toBe(true);
  expect(received).toEqual(['']);
});
