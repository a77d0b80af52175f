import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PageWorker } from './page-worker.ts';
import type { WorkerFailure } from './worker-failure.ts';

interface Question {
  readonly ask: string;
}
type Answer = { readonly kind: 'answer'; readonly id: number } | WorkerFailure;

/** A browser's worker, whose code the test plays. */
class PlayedWorker {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: ((event: Partial<ErrorEvent>) => void) | undefined;
  onmessageerror: (() => void) | undefined;
  readonly received: { readonly kind?: string; readonly id?: number }[] = [];
  isTerminated = false;
  postMessage(message: object): void {
    this.received.push(message);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  says(data: object): void {
    this.onmessage?.({ data });
  }
}

let started: PlayedWorker[];
let worker: PageWorker<Question, Answer>;
let reports: { readonly kind: string; readonly message: string; readonly at: string | null }[];

beforeEach(() => {
  vi.useFakeTimers();
  started = [];
  reports = [];
  vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
    reports.push(JSON.parse(String(init.body)));
    return new Response(null, { status: 204 });
  });
  worker = new PageWorker(() => {
    const played = new PlayedWorker();
    started.push(played);
    return played as unknown as Worker;
  });
});
afterEach(() => {
  worker.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const latest = () => started.at(-1) as PlayedWorker;

test.each<[string, string, (played: PlayedWorker) => void]>([
  ['an exception', 'stopped', (played) => played.onerror?.({ message: 'Uncaught TypeError: exception' })],
  ['code that does not arrive', 'not-loaded', (played) => played.onerror?.({})],
  [
    'a module that fails while it loads',
    'stopped',
    (played) => played.says({ kind: 'died', defect: { message: 'TypeError: module', stack: undefined } }),
  ],
  ['a reply that cannot be read', 'stopped', (played) => played.onmessageerror?.()],
])('after %s, every request has an answer, and another worker is started', async (_, why, fail) => {
  const answers = [worker.request({ ask: 'a' }), worker.request({ ask: 'b' })];
  const first = latest();
  fail(first);
  expect(await Promise.all(answers)).toEqual([
    { kind: 'failed', id: 1, why },
    { kind: 'failed', id: 2, why },
  ]);
  expect(first.isTerminated).toBe(true);

  const next = worker.request({ ask: 'c' });
  expect(started).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toHaveLength(2);
  expect(latest().received).toEqual([{ ask: 'c', id: 3 }]);
  latest().says({ kind: 'answer', id: 3 });
  expect(await next).toEqual({ kind: 'answer', id: 3 });
});

test('starts of a worker that fails at once double their distance, until it has answered', async () => {
  worker.prepare();
  for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    const before = started.length;
    latest().onerror?.({ message: 'again' });
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(started).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toHaveLength(before + 1);
  }
  const answer = worker.request({ ask: 'a' });
  latest().says({ kind: 'answer', id: 1 });
  await answer;
  const before = started.length;
  latest().onerror?.({ message: 'later' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toHaveLength(before + 1);
});

test('a worker that ends without a word fails once it has not responded for half a minute', async () => {
  const answer = worker.request({ ask: 'a' });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(latest().received.filter(({ kind }) => kind === 'ping')).toHaveLength(2);
  latest().says({ kind: 'alive' });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(latest().isTerminated).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await answer).toEqual({ kind: 'failed', id: 1, why: 'stopped' });
});

test('a request that is cancelled while no worker runs is never sent', async () => {
  worker.prepare();
  latest().onerror?.({ message: 'failed' });
  const left = new AbortController();
  const answer = worker.request({ ask: 'a' }, left.signal);
  left.abort(new Error('left'));
  await expect(answer).rejects.toThrow('left');
  await vi.advanceTimersByTimeAsync(1000);
  expect(latest().received).toEqual([]);
});

test('a browser that cannot start a worker fails the request, and is tried again', async () => {
  let isAllowed = false;
  const strict = new PageWorker<Question, Answer>(() => {
    if (!isAllowed) throw new DOMException('the policy forbids it', 'SecurityError');
    const played = new PlayedWorker();
    started.push(played);
    return played as unknown as Worker;
  });
  expect(await strict.request({ ask: 'a' })).toMatchObject({ kind: 'failed', why: 'not-loaded' });
  isAllowed = true;
  const answer = strict.request({ ask: 'b' });
  await vi.advanceTimersByTimeAsync(1000);
  latest().says({ kind: 'answer', id: 2 });
  expect(await answer).toEqual({ kind: 'answer', id: 2 });
  strict.close();
});

test('an unreadable answer and a stray error are reported to the server, and do not stop the worker', async () => {
  const answer = worker.request({ ask: 'a' });
  latest().says({
    kind: 'failed',
    id: 1,
    why: 'unreadable',
    defect: {
      message: 'TypeError: stream at 46.9,8.2 is not async iterable',
      stack: 'at inflate (http://lookout/_next/static/chunks/0abc.js:7:42)',
    },
  });
  expect(await answer).toMatchObject({ why: 'unreadable' });
  latest().says({ kind: 'odd', defect: { message: 'Error: a stray one', stack: undefined } });
  expect(reports).toEqual([
    { kind: 'answer', message: 'TypeError: stream at # is not async iterable', at: '0abc.js:7:42' },
    { kind: 'worker', message: 'Error: a stray one', at: null },
  ]);
  expect(latest().isTerminated).toBe(false);
});
