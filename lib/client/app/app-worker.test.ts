import { expect, test, vi } from 'vitest';
import { WORKER_SCRIPT, type WorkerEvent, type WorkerScope } from './app-worker.ts';

/** Runs the source as a browser does, with nothing but its scope. */
function startWorker(windows: readonly object[] = []) {
  const listeners = new Map<string, (event: WorkerEvent) => void>();
  const scope = {
    location: { origin: 'https://lookout.example' },
    registration: { showNotification: vi.fn(async () => undefined), navigationPreload: { enable: vi.fn() } },
    clients: { claim: vi.fn(), matchAll: vi.fn(async () => windows), openWindow: vi.fn() },
    skipWaiting: vi.fn(async () => undefined),
    addEventListener: (type: string, listener: (event: WorkerEvent) => void) => void listeners.set(type, listener),
  };
  new Function('self', WORKER_SCRIPT)(scope satisfies Partial<Record<keyof WorkerScope, unknown>>);
  const send = async (type: string, event: object) => {
    const works: Promise<unknown>[] = [];
    let answer: Promise<Response> | undefined;
    const respondWith = (given: Promise<Response>) => {
      answer = given;
    };
    listeners.get(type)?.({ waitUntil: (work: Promise<unknown>) => works.push(work), respondWith, ...event } as never);
    await Promise.all(works);
    return answer;
  };
  return { scope, send };
}

const navigation = (path = '/') => ({ request: { mode: 'navigate', url: `https://lookout.example${path}` } });

test('a new build replaces the worker at once', async () => {
  const { scope, send } = startWorker();
  await send('install', {});
  await send('activate', {});
  expect(scope.skipWaiting).toHaveBeenCalled();
  expect(scope.clients.claim).toHaveBeenCalled();
});

test('answers a page without network with one that shows nothing, and never another request', async () => {
  const { send } = startWorker();
  const lost = Promise.reject(new TypeError('failed to fetch'));
  lost.catch(() => undefined);
  const answer = await send('fetch', { ...navigation('/overview'), preloadResponse: lost });
  expect(answer?.status).toBe(503);
  expect(await answer?.text()).toContain('No connection to Lookout');
  expect(answer?.headers.get('cache-control')).toBe('no-store');
  const page = new Response('live');
  expect(await send('fetch', { ...navigation(), preloadResponse: Promise.resolve(page) })).toBe(page);
  for (const request of [
    { mode: 'cors', url: 'https://lookout.example/api/live' },
    { mode: 'navigate', url: 'https://lookout.example/api/export?format=csv' },
  ])
    expect(await send('fetch', { request })).toBeUndefined();
});

test('its source stores nothing', () => {
  expect(WORKER_SCRIPT).not.toMatch(/\bcaches\b|indexedDB|\bcache\.|importScripts/);
});

test('shows a message, and one that it cannot read', async () => {
  const { scope, send } = startWorker();
  const message = { title: 'SIM · Drone', body: 'Drone entered', tag: 'a', path: '/?at=1', at: 5 };
  await send('push', { data: { json: () => message } });
  expect(scope.registration.showNotification).toHaveBeenLastCalledWith(
    'SIM · Drone',
    expect.objectContaining({ body: 'Drone entered', tag: 'a', timestamp: 5, data: { path: '/?at=1' } }),
  );
  await send('push', {
    data: {
      json() {
        throw new SyntaxError('no JSON');
      },
    },
  });
  expect(scope.registration.showNotification).toHaveBeenLastCalledWith('Lookout', expect.anything());
});

test('a click opens the alarm in a window of Lookout, or in a new one, and nothing elsewhere', async () => {
  const shown = { focus: vi.fn(async () => undefined) };
  const window = { focused: false, navigate: vi.fn(async (_: string): Promise<object | null> => shown) };
  const { scope, send } = startWorker([window]);
  const click = (path: string) => send('notificationclick', { notification: { data: { path }, close: vi.fn() } });
  await click('/?at=1');
  expect(window.navigate).toHaveBeenCalledWith('https://lookout.example/?at=1');
  expect(shown.focus).toHaveBeenCalled();
  expect(scope.clients.openWindow).not.toHaveBeenCalled();
  window.navigate.mockRejectedValueOnce(new TypeError('not controlled'));
  await click('/?at=2');
  expect(scope.clients.openWindow).toHaveBeenCalledWith('https://lookout.example/?at=2');
  await click('https://elsewhere.example/');
  expect(window.navigate).toHaveBeenCalledTimes(2);
  expect(scope.clients.openWindow).toHaveBeenCalledTimes(1);
});
