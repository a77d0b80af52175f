import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorBodySchema } from '#lib/contract/envelope.ts';
import { addMs } from '#lib/time/instant.ts';
import { runs } from '#testing/budget.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from './conformance-service.ts';
import { listedSource, observation } from './listed-source.ts';

let running: ConformanceService;
beforeAll(async () => {
  const source = listedSource([observation({ observedAt: addMs(START, -1000) })]);
  running = await startConformanceService({ source, allowance: { perMinute: 1_000_000, perDay: 1_000_000 } });
});
afterAll(() => running.service.close());

const KNOWN_STATUS = new Set([200, 400, 401, 404, 405]);

const targetText = fc.stringMatching(/^[!-~]{0,60}$/);
const oddNumber = fc.oneof(
  fc.double().map(String),
  fc.integer().map(String),
  fc.constantFrom('NaN', '-0', '1e308', '', '٣', '0x1', '1,', '%00', '%0a', '＋1').map(encodeURI),
);
const value = fc.oneof(
  targetText,
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.array(oddNumber, { minLength: 1, maxLength: 6 }).map((numbers) => numbers.join(',')),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(BBOX, 'TST-A-0123456789ABCDEF', 'TST-D-FFFFFFFFFFFFFFFF', '2026-11-21T11:30:00Z', '%', '%zz', '%ff'),
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('bbox', 'limit', 'cursor', 'start', 'end') },
  { weight: 1, arbitrary: fc.oneof(targetText, fc.constantFrom('__proto__', 'constructor', 'toString', 'bbox[]')) },
);
const query = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  },
  { weight: 1, arbitrary: targetText },
);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('/v1/live/rid', '/v1/live/adsb', '/v1/history/rid', '/v1/history/adsb') },
  { weight: 1, arbitrary: targetText.map((text) => `/${text}`) },
);
const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.stringMatching(/^[ -~]{0,80}$/) },
);
const method = fc.oneof(
  { weight: 9, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('POST', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE') },
);

test('each hostile request gets a status and a body that the contract allows, and never a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(path, query, authorization, method, async (path, query, authorization, method) => {
      const answer = await running.send(`${path}?${query}`, {
        method,
        ...(authorization === undefined ? {} : { authorization }),
      });
      expect(KNOWN_STATUS).toContain(answer.status);
      if (answer.status === 200) expect(answer.json.version).toBe('1');
      else errorBodySchema.parse(answer.json);
      expect(answer.json.request_id).toBe(answer.headers['x-request-id']);
    }),
    { numRuns: runs(2000) },
  );
});
