import { expect, onTestFinished, test, vi } from 'vitest';
import { WORKER_SCRIPT, type WorkerEvent, type WorkerScope } from './app-worker.ts';

/** Runs the source as a browser does, with nothing but its scope. */
function startWorker(windows: readonly object[] = []) {
  const listeners = new Map<string, (event: WorkerEvent) => void>();
  const scope = {
    location: { origin: 'https://lookout.example' },
    registration: {
      showNotification: vi.fn(async () => undefined),
      navigationPreload: { enable: vi.fn() },
      pushManager: { subscribe: vi.fn() },
    },
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

test('shows a message, also one that it cannot read or that is empty', async () => {
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
  await send('push', { data: null });
  expect(scope.registration.showNotification).toHaveBeenCalledTimes(3);
  expect(scope.registration.showNotification).toHaveBeenLastCalledWith('Lookout', expect.anything());
});

test('renews the subscription that the browser replaced, and says where that fails', async () => {
  const { scope, send } = startWorker();
  const of = (name: string) => ({ endpoint: `https://push.example/${name}`, keys: { p256dh: 'p', auth: 'a' } });
  const [old, next] = [of('old'), of('new')].map((json) => ({ ...json, options: {}, toJSON: () => json }));
  const answers = vi.fn(async () => Response.json({ id: 'b' }));
  vi.stubGlobal('fetch', answers);
  onTestFinished(() => void vi.unstubAllGlobals());
  await send('pushsubscriptionchange', { oldSubscription: old, newSubscription: next });
  const body = JSON.stringify({ endpoint: old!.endpoint, renewed: of('new') });
  expect(answers).toHaveBeenCalledWith('/api/account/push', expect.objectContaining({ method: 'PUT', body }));
  scope.registration.pushManager.subscribe.mockResolvedValueOnce(next);
  await send('pushsubscriptionchange', { oldSubscription: old, newSubscription: null });
  expect(answers).toHaveBeenCalledTimes(2);
  expect(scope.registration.showNotification).not.toHaveBeenCalled();

  answers.mockResolvedValueOnce(Response.json({ id: null }));
  answers.mockResolvedValueOnce(new Response('', { status: 401 }));
  answers.mockRejectedValueOnce(new TypeError('failed to fetch'));
  for (let count = 1; count <= 3; count++)
    await send('pushsubscriptionchange', { oldSubscription: old, newSubscription: next });
  await send('pushsubscriptionchange', {});
  expect(scope.registration.showNotification).toHaveBeenCalledTimes(4);
  expect(scope.registration.showNotification).toHaveBeenLastCalledWith(
    'Push is off in this browser',
    expect.objectContaining({ data: { path: '/account' } }),
  );
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
