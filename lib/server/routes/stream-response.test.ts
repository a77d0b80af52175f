import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '#lib/api/people/permission.ts';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import type { Runtime } from '../runtime.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { streamResponse } from './stream-response.ts';
import type { Viewer } from './viewer.ts';

const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };
const FIRST = Buffer.from('first');
const ORIGIN = { browser: 'Firefox on Linux', address: '192.0.2.1', isKept: false };

let now: LocalInstant;
let registry: Sessions;
let alice: { role: Role; password: string; passkeys: [] } | undefined;
let viewer: Viewer;
let logged: unknown[];

beforeEach(async () => {
  now = localInstant(0);
  registry = new Sessions(await memoryDatabase(), () => now, strictSupervisor().part('sessions'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  alice = { role: 'operator', password: 'the hash', passkeys: [] };
  logged = [];
  const id = await registry.open({ source: 'password', operatorId: 'alice', credential: alice.password }, ORIGIN);
  viewer = { operator: { id: 'alice', name: 'alice', role: 'operator' }, session: await sessionOf(id) };
  holder[runtimeSymbol] = {
    sessions: { registry, operators: { find: () => alice } },
    log: { error: (details: unknown) => logged.push(details) },
  } as unknown as Runtime;
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  delete holder[runtimeSymbol];
});

const sessionOf = async (id: string): Promise<Viewer['session']> => ({
  id,
  key: (await registry.peek(id))?.key ?? '',
  source: 'password',
});

function begin({ method = 'GET', closed = new AbortController() } = {}) {
  const state = { signal: undefined as AbortSignal | undefined, isLeft: false };
  async function* chunks(signal: AbortSignal) {
    try {
      yield FIRST;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    } finally {
      state.isLeft = true;
    }
  }
  const make = (signal: AbortSignal) => {
    state.signal = signal;
    return chunks(signal);
  };
  const request = new Request('http://lookout/api/history', { method, signal: closed.signal });
  const response = streamResponse(
    { request, requestId: 'one', viewer, logged: {} },
    { 'content-type': 'text/plain' },
    make,
  );
  return { state, response, closed, reader: response.body?.getReader() };
}

async function afterASecond({ state, reader }: ReturnType<typeof begin>) {
  expect((await reader?.read())?.value).toEqual(FIRST);
  const next = reader?.read().then(
    () => 'read',
    (error: Error) => error.message,
  );
  vi.advanceTimersByTime(1000);
  const ended = await Promise.race([next, new Promise((resolve) => setImmediate(() => resolve('under way')))]);
  if (ended === 'under way') await reader?.cancel();
  expect(state.isLeft).toBe(true);
  return ended;
}

describe('an answer under way', () => {
  const endings = {
    'is signed out': () => registry.close(viewer.session?.id ?? ''),
    'was idle for twelve hours, which the answer does not count against': async () => {
      for (let hour = 0; hour < 12; hour++, now = addMs(now, HOUR_MS)) await registry.peek(viewer.session?.id ?? '');
    },
    'has another password': () => {
      alice = { role: 'operator', password: 'another hash', passkeys: [] };
    },
    'is of an operator who was removed': () => {
      alice = undefined;
    },
    'is of an operator whose role was changed': () => {
      if (alice) alice.role = 'viewer';
    },
    'cannot be read': () => {
      registry.peek = () => {
        throw new Error('disk');
      };
    },
  };
  test.each(Object.entries(endings))('ends within a second when its session %s', async (_, endSession) => {
    const answer = begin();
    await endSession();
    expect(await afterASecond(answer)).toBe('the session has ended');
    expect(answer.state.signal?.aborted).toBe(true);
    expect(logged.length).toBe(registry.peek.name === 'peek' ? 0 : 1);
  });

  test('ends within a second when its token is revoked', async () => {
    let isOpen = true;
    Object.assign(holder[runtimeSymbol] as object, { readTokens: { isOpen: async () => isOpen } });
    viewer = { ...viewer, token: { id: 'a' } as NonNullable<Viewer['token']> };
    expect(await afterASecond(begin())).toBe('under way');
    const answer = begin();
    isOpen = false;
    expect(await afterASecond(answer)).toBe('the session has ended');
  });

  test('goes on while its session does', async () => {
    const answer = begin();
    now = addMs(now, 11 * HOUR_MS);
    expect(await afterASecond(answer)).toBe('under way');
  });

  test('ends its work if it is cancelled while unread', async () => {
    const { state, reader } = begin();
    await reader?.read();
    await reader?.cancel();
    expect(state.signal?.aborted).toBe(true);
    await expect.poll(() => state.isLeft).toBe(true);
  });

  test('ends what it began when the client has left before anything was read of it, or when only the headers are wanted', () => {
    const closed = new AbortController();
    closed.abort();
    const gone = begin({ closed });
    expect(gone.response.body).toBeNull();
    expect(gone.state.signal, 'nothing was begun').toBeUndefined();
    const head = begin({ method: 'HEAD' });
    expect(head.response.body).toBeNull();
    expect(head.response.headers.get('content-type')).toBe('text/plain');
    expect(head.state.signal?.aborted).toBe(true);
    const later = begin();
    later.closed.abort();
    expect(later.state.signal?.aborted).toBe(true);
  });

  test('leaves no timer and no listener behind when it ends by itself', async () => {
    async function* make() {
      yield FIRST;
    }
    const { signal } = new AbortController();
    const request = new Request('http://lookout/api/history', { signal });
    const response = streamResponse({ request, requestId: 'one', viewer, logged: {} }, {}, make);
    expect(await response.text()).toBe('first');
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
  });

  test('is forgotten once it has ended by itself, with all that hangs on its request', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const answered = async () => {
      const request = new Request('http://lookout/api/history', { signal: new AbortController().signal });
      async function* make(signal: AbortSignal) {
        signal.addEventListener('abort', () => request.url, { once: true });
        yield FIRST;
      }
      const response = streamResponse({ request, requestId: 'one', viewer, logged: {} }, {}, make);
      expect(await response.text()).toBe('first');
      return new WeakRef(request);
    };
    const request = await answered();
    await expect
      .poll(() => {
        collectGarbage();
        return request.deref() === undefined;
      })
      .toBe(true);
  });
});
