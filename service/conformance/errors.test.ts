import { afterEach, describe, expect, test } from 'vitest';
import { errorBodySchema } from '#lib/contract/envelope.ts';
import type { Source } from '../sources/observation.ts';
import { BBOX, type ConformanceService, startConformanceService } from './conformance-service.ts';

let running: ConformanceService;
afterEach(() => running.service.close());

function bodyOf(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('Error body', () => {
  test.each([
    [400, 'live/rid?bbox=no', {}],
    [401, `live/rid?bbox=${BBOX}`, { authorization: null }],
    [404, 'live', {}],
    [405, `live/rid?bbox=${BBOX}`, { method: 'PUT' }],
    [429, `live/rid?bbox=${BBOX}`, {}],
  ])(
    '%i carries error.code, error.message and the request_id of its header, as JSON',
    async (status, path, options) => {
      running = await startConformanceService({ allowance: { perMinute: 1, perDay: 1 } });
      if (status === 429) await running.get(`live/rid?bbox=${BBOX}`);
      const answer = await running.get(path, options);
      expect(answer.status).toBe(status);
      expect(errorBodySchema.parse(answer.json).request_id).toBe(answer.headers['x-request-id']);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    },
  );

  test('it echoes nothing of the request, so that nothing can be injected through it', async () => {
    running = await startConformanceService();
    const marked = '%3Cscript%3Emarked';
    for (const path of [
      `live/${marked}`,
      `live/rid?bbox=${marked}`,
      `live/rid?${marked}=1`,
      `live/rid?cursor=${marked}`,
    ]) {
      const answer = await running.get(path, { headers: { 'x-request-id': 'marked' } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain('marked');
    }
  });
});

describe('Errors › 503', () => {
  test('a failing source is an unavailable dependency; the reason is logged and not disclosed', async () => {
    const entries: string[] = [];
    const failing: Source = {
      live() {
        throw new Error('disk on fire');
      },
      history() {
        throw new Error('disk on fire');
      },
    };
    running = await startConformanceService({ source: failing, log: (entry) => entries.push(entry) });
    const answer = await running.get(`live/rid?bbox=${BBOX}`);
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('fire');
    expect(entries.join()).toContain('disk on fire');
    expect(entries.join()).toContain(answer.headers['x-request-id']);
  });
});

describe('Errors › 400: malformed HTTP gets the error body too', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a query beyond the header size limit', `GET /v1/live/rid?x=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['no Host header', 'GET /v1/live/rid HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a space in the target', 'GET /v1/live/rid?bbox=8, 47,9,48 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'two lengths of one body',
      'GET /v1/live/rid HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('%s', async (_what, text) => {
    running = await startConformanceService();
    const answer = await running.sendRaw(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const body = errorBodySchema.parse(bodyOf(answer));
    expect(answer.toLowerCase()).toContain(`x-request-id: ${body.request_id}`);
  });

  test.each(['Expect: the-unexpected', 'Upgrade: websocket\r\nConnection: upgrade'])(
    '%s is ignored',
    async (header) => {
      running = await startConformanceService();
      const answer = await running.sendRaw(`GET /v1/live/rid HTTP/1.0\r\n${header}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    },
  );
});

test('a closed service refuses connections', async () => {
  running = await startConformanceService();
  expect((await running.get(`live/rid?bbox=${BBOX}`)).status).toBe(200);
  await running.service.close();
  await expect(running.get(`live/rid?bbox=${BBOX}`)).rejects.toThrow('ECONNREFUSED');
});
