import type { PushMessage } from '#lib/api/people/push.ts';

/** A part of `ServiceWorkerGlobalScope`, which TypeScript's DOM lacks. */
export interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly registration: {
    readonly navigationPreload?: { enable(): Promise<void> };
    readonly pushManager: Pick<PushManager, 'subscribe'>;
    showNotification(title: string, options: object): Promise<void>;
  };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<readonly WindowClient[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
}

interface WindowClient {
  readonly focused: boolean;
  navigate(address: string): Promise<WindowClient | null>;
  focus(): Promise<unknown>;
}

export interface WorkerEvent {
  readonly request: Request;
  readonly preloadResponse?: Promise<Response | undefined>;
  readonly data?: { json(): unknown } | null;
  /** Of a subscription that the browser has renewed or dropped. Older browsers tell neither. */
  readonly oldSubscription?: PushSubscription | null;
  readonly newSubscription?: PushSubscription | null;
  readonly notification: { readonly data?: { readonly path?: string }; close(): void };
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

/**
 * The service worker. It stores nothing: without network it answers a page with one that shows nothing, and every other
 * request bypasses it. A new build replaces it at once. Its source is sent as it is, so it uses nothing but its arguments.
 * @param offlinePage HTML without files of its own
 */
function appWorker(scope: WorkerScope, offlinePage: string): void {
  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
  scope.addEventListener('activate', (event) =>
    // The request of a page does not wait for the start of the worker.
    event.waitUntil(Promise.all([scope.clients.claim(), scope.registration.navigationPreload?.enable()])),
  );

  scope.addEventListener('fetch', (event) => {
    const { request } = event;
    if (request.mode !== 'navigate' || new URL(request.url).pathname.startsWith('/api/')) return;
    const answer = async () => {
      try {
        return (await event.preloadResponse) ?? (await fetch(request));
      } catch {
        const headers = {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        };
        return new Response(offlinePage, { status: 503, headers });
      }
    };
    event.respondWith(answer());
  });

  const show = (message: Partial<PushMessage> = {}) => {
    const { title = 'Lookout', body = 'Open Lookout to see what happened.', tag = 'lookout', path, at } = message;
    const look = { icon: '/app-icon-192.png', badge: '/app-badge.png', renotify: true, requireInteraction: true };
    return scope.registration.showNotification(title, { body, tag, ...look, timestamp: at, data: { path } });
  };

  scope.addEventListener('push', (event) => {
    const read = async () => event.data?.json() as PushMessage | undefined;
    event.waitUntil(
      read()
        .catch(() => undefined)
        .then(show),
    );
  });

  scope.addEventListener('pushsubscriptionchange', (event) => {
    const renew = async () => {
      const { oldSubscription: old, newSubscription } = event;
      if (!old) throw new Error('not known which');
      const next = newSubscription ?? (await scope.registration.pushManager.subscribe(old.options));
      const { endpoint, keys } = next.toJSON();
      const body = JSON.stringify({ endpoint: old.endpoint, renewed: { endpoint, keys } });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch('/api/account/push', { method: 'PUT', headers, body });
      if (!answer.ok || (await answer.json()).id === null) throw new Error('not renewed');
    };
    const lost = { title: 'Push is off in this browser', body: 'Open Lookout to turn it on again.', path: '/account' };
    event.waitUntil(renew().catch(() => show(lost)));
  });

  scope.addEventListener('notificationclick', (event) => {
    const { notification } = event;
    notification.close();
    const address = new URL(notification.data?.path ?? '/', scope.location.origin);
    const open = async () => {
      if (address.origin !== scope.location.origin) return;
      const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
      const first = windows.find(({ focused }) => focused) ?? windows[0];
      const moved = await first?.navigate(address.href).catch(() => null);
      if (moved) await moved.focus().catch(() => undefined);
      else await scope.clients.openWindow(address.href);
    };
    event.waitUntil(open());
  });
}

const OFFLINE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0b1118">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f3f5f7">
<meta http-equiv="refresh" content="10">
<title>No connection · Lookout</title>
<style>
  :root { color-scheme: light dark; --text: #16202b; --dim: #4b5a69; background: #f3f5f7; }
  @media (prefers-color-scheme: dark) { :root { --text: #e8eef4; --dim: #9fb0c0; background: #0b1118; } }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: start; gap: 12px;
    padding: 24px; box-sizing: border-box; color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
  svg { width: 48px; height: 48px; }
  h1 { margin: 0; font-size: 20px; }
  p { margin: 0; color: var(--dim); }
  a { min-height: 44px; display: inline-flex; align-items: center; padding: 0 16px; border: 1px solid var(--dim);
    border-radius: 6px; color: var(--text); text-decoration: none; font-weight: 600; }
</style>
<svg viewBox="-11.5 -11.5 23 23" aria-hidden="true"><circle r="10" fill="none" stroke="currentColor" stroke-width="2.5"/><circle r="3.5" fill="currentColor"/></svg>
<h1>No connection to Lookout</h1>
<p>Nothing is shown. This page tries again every 10 seconds.</p>
<a href="">Try again</a>
`;

export const WORKER_SCRIPT = `(${appWorker})(self, ${JSON.stringify(OFFLINE_PAGE)});\n`;

/** Starts the worker in the installed app alone, after its page: tabs and first marks go without it. */
export const APP_START = `if (navigator.serviceWorker && matchMedia('(display-mode: standalone)').matches)
  addEventListener('load', function () { navigator.serviceWorker.register('/worker.js'); });`;
