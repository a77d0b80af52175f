import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BBOX, type ConformanceService, startConformanceService } from './conformance-service.ts';

let running: ConformanceService;
beforeAll(async () => {
  running = await startConformanceService();
});
afterAll(() => running.service.close());

const OPERATIONS = ['live/rid', 'live/adsb', 'history/rid', 'history/adsb'] as const;

function queryOf(operation: (typeof OPERATIONS)[number]): string {
  const window = '&start=2026-11-21T11:00:00Z&end=2026-11-21T12:00:00Z';
  return `bbox=${BBOX}${operation.startsWith('history') ? window : ''}`;
}

describe('Endpoints', () => {
  test.each(OPERATIONS)('GET {base_url}/%s answers 200 with its own layer and mode', async (operation) => {
    const answer = await running.get(`${operation}?${queryOf(operation)}`);
    expect(answer.status).toBe(200);
    expect([answer.json.mode, answer.json.layer]).toEqual(operation.split('/'));
  });

  test('the absolute form of a request target works too', async () => {
    const answer = await running.send(`${running.service.baseUrl}/live/rid?${queryOf('live/rid')}`);
    expect(answer.status).toBe(200);
  });

  describe.each(OPERATIONS)('Any other method on %s returns 405', (operation) => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s', async (method) => {
      const answer = await running.get(`${operation}?${queryOf(operation)}`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET');
      if (method === 'HEAD') expect(answer.text).toBe('');
      else expect(answer.json.error.code).toBe('method_not_allowed');
    });
  });

  test('CONNECT counts as one of the other methods', async () => {
    const text = await running.sendRaw('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(text).toContain('allow: GET');
  });

  test('405 needs no key, so that it reveals nothing about one', async () => {
    const answer = await running.get('live/rid', { method: 'POST', authorization: null });
    expect(answer.status).toBe(405);
  });

  test('No request body is used: a GET with a body is answered like one without', async () => {
    const text = await running.sendRaw(
      `GET /v1/live/rid?${queryOf('live/rid')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.service.apiKey}\r\n` +
        'Connection: close\r\nContent-Length: 14\r\n\r\n{"limit":"no"}',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('Errors › 404: the path does not match an operation exactly', () => {
  test.each([
    ['a trailing slash', '/v1/live/rid/'],
    ['a double slash', '/v1//live/rid'],
    ['a leading double slash', '//v1/live/rid'],
    ['another case', '/v1/live/RID'],
    ['another case of the version', '/V1/live/rid'],
    ['above an operation', '/v1/live'],
    ['the base address', '/v1'],
    ['the root', '/'],
    ['below an operation', '/v1/live/rid/more'],
    ['without the version', '/live/rid'],
    ['another version', '/v2/live/rid'],
    ['another layer', '/v1/live/uat'],
    ['another mode', '/v1/replay/rid'],
    ['an encoded letter', '/v1/live/ri%64'],
    ['an encoded slash', '/v1/live%2Frid'],
    ['a dot segment', '/v1/./live/rid'],
    ['a parent segment', '/v1/live/adsb/../rid'],
    ['a path parameter', '/v1/live/rid;v=1'],
    ['the asterisk form', '*'],
  ])('%s', async (_what, path) => {
    const answer = await running.send(path === '*' ? path : `${path}?${queryOf('live/rid')}`);
    expect(answer.status).toBe(404);
    expect(answer.json.error.code).toBe('not_found');
    expect(answer.json.request_id).toBe(answer.headers['x-request-id']);
  });

  test('404 is decided before the method and the key are checked', async () => {
    const answer = await running.send('/v1/live', { method: 'DELETE', authorization: null });
    expect(answer.status).toBe(404);
  });
});
