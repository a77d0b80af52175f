import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AnsweringServer } from './answering-server.fixture.ts';
import {
  arrived,
  arrivingBody,
  fetchLookout,
  LookoutRequestError,
  requestErrorOf,
  sendToLookout,
} from './fetch-lookout.ts';

let server: AnsweringServer;
beforeEach(async () => {
  server = await AnsweringServer.start();
});
afterEach(() => server.stop());

const refusal = (code: string) => JSON.stringify({ error: { code, message: 'Why.' }, request_id: 'r1' });

async function failure(request: Promise<unknown>) {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LookoutRequestError)) throw new Error('it did not fail with an LookoutRequestError');
  return { kind: error.kind, code: error.code, retryAfterS: error.retryAfterS };
}

describe('fetchLookout', () => {
  test('returns a successful response', async () => {
    server.answer = { body: 'fine' };
    expect(await (await fetchLookout(server.address)).text()).toBe('fine');
  });

  test('a refusal has its code, and the time to wait in seconds or as a date', async () => {
    const none = { kind: 'refused', code: 'too_many_attempts', retryAfterS: undefined };
    server.answer = { status: 429, body: refusal('too_many_attempts'), headers: { 'retry-after': '840' } };
    expect(await failure(fetchLookout(server.address))).toEqual({ ...none, retryAfterS: 840 });
    const byDate = { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT', date: 'Sun, 06 Nov 1994 08:49:07 GMT' };
    server.answer = { status: 429, body: refusal('too_many_attempts'), headers: byDate };
    expect(await failure(fetchLookout(server.address))).toEqual({ ...none, retryAfterS: 30 });
    server.answer = { status: 429, body: refusal('too_many_attempts'), headers: { 'retry-after': 'soon' } };
    expect(await failure(fetchLookout(server.address))).toEqual(none);
    server.answer = { status: 418, body: '<html>no</html>' };
    expect(await failure(fetchLookout(server.address))).toEqual({ ...none, code: undefined });
  });

  test('distinguishes an ended session from a wrong password, which are both 401', async () => {
    const signedOut = { kind: 'signed-out', retryAfterS: undefined };
    server.answer = { status: 401, body: refusal('not_signed_in') };
    expect(await failure(fetchLookout(server.address))).toEqual({ ...signedOut, code: 'not_signed_in' });
    server.answer = { status: 401, body: '<html>' };
    expect(await failure(fetchLookout(server.address))).toEqual({ ...signedOut, code: undefined });
    server.answer = { status: 401, body: refusal('sign_in_refused') };
    expect(await failure(sendToLookout('POST', server.address, {}))).toMatchObject({
      kind: 'refused',
      code: 'sign_in_refused',
    });
  });

  test('a failed connection, an aborted request and a redirect count as unreachable', async () => {
    const none = { kind: 'unreachable', code: undefined, retryAfterS: undefined };
    server.answer = { status: 302, headers: { location: '/elsewhere' } };
    expect(await failure(fetchLookout(server.address))).toEqual(none);
    expect(await failure(fetchLookout(server.address, { signal: AbortSignal.abort() }))).toEqual(none);
    const { address } = server;
    for (const status of [502, 503, 504]) {
      server.answer = { status, body: '<html>bad gateway</html>' };
      expect(await failure(fetchLookout(address)), `a proxy’s ${status}`).toEqual(none);
    }
    server.answer = { status: 503, body: refusal('database_lost') };
    expect(await failure(fetchLookout(address))).toMatchObject({ kind: 'refused', code: 'database_lost' });
    await server.stop();
    expect(await failure(fetchLookout(address))).toEqual(none);
  });

  test('a body that breaks off is the network’s failure, and an error while it is read is the page’s', async () => {
    server.answer = { body: 'half', breaksOff: true };
    expect(await failure(arrived((await fetchLookout(server.address)).text()))).toMatchObject({ kind: 'unreachable' });
    const { body } = await fetchLookout(server.address);
    const reader = arrivingBody(body as ReadableStream<Uint8Array>).getReader();
    const whole = async () => {
      while (!(await reader.read()).done);
    };
    expect(await failure(whole())).toMatchObject({ kind: 'unreachable' });
    expect(requestErrorOf(new TypeError('stream is not async iterable')).kind).toBe('unreadable');
  });

  test('a body that is left is cancelled', async () => {
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const reader = arrivingBody(body).getReader();
    await reader.read();
    await reader.cancel('left');
    expect(cancelled).toBe('left');
  });
});
