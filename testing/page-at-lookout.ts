import { cleanup, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { onTestFinished } from 'vitest';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { ApiClient } from './api-client.ts';
import type { HereOperator } from './lookout-here.ts';
import { nodeFetch } from './node-fetch.ts';

/** As the server renders a page for an operator; `undefined`: where no sign-in is needed. */
export function pageViewerOf(
  name: string | undefined,
  changed: Partial<PageViewer> & { readonly role?: Role } = {},
): PageViewer {
  const { role = 'admin', ...facts } = changed;
  return {
    operator: name === undefined ? undefined : { id: name, name, role },
    isAdmin: role === 'admin',
    isLimited: false,
    hasReceivers: false,
    asOf: new Date().toISOString(),
    version: '0.0.0',
    ...facts,
  };
}

interface Place {
  readonly url: string;
  readonly operators: readonly HereOperator[];
}

/** From now on, what the page requests is answered by the routes of that Lookout, to the browser of an operator. */
export async function pageAt(place: Place, operator: string, password?: string) {
  const client = await ApiClient.signedIn(place, operator, password);
  globalThis.fetch = fetchAs(client);
  onTestFinished(() => {
    cleanup();
    window.localStorage.clear();
    window.history.replaceState(null, '', '/');
  });
  return { client, screen: within(document.body), user: userEvent.setup({ pointerEventsCheck: 0 }) };
}

/** @returns an own `fetch` for the page; what the server of this process requests goes on */
export function fetchAs(client: ApiClient): typeof fetch {
  return async (input, init) => {
    const address = String(input);
    if (!address.startsWith('/')) return nodeFetch(input, init);
    const sent = init?.body === undefined ? undefined : JSON.parse(String(init.body));
    const { status, body, headers } = await client.ask(init?.method ?? 'GET', address, sent);
    const { 'content-type': type = '', 'retry-after': wait } = headers;
    return new Response(status === 204 ? null : new Uint8Array(body), {
      status,
      headers: { 'content-type': type, ...(wait !== undefined && { 'retry-after': wait }) },
    });
  };
}
