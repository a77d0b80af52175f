import { beforeEach, expect, test } from 'vitest';
import { PageErrorLog } from '#lib/server/metrics/page-error-log.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { POST } from './route.ts';

let lines: object[];
let pageErrors: PageErrorLog;
const request = signedInRoutes(
  { vic: 'viewer' },
  {
    get pageErrors() {
      return pageErrors;
    },
  },
);
beforeEach(() => {
  lines = [];
  pageErrors = new PageErrorLog(
    (details) => lines.push(details),
    () => 0,
  );
});

const REPORT = { kind: 'worker', message: 'TypeError: it failed', at: 'a.js:1:2' };
const PATH = '/api/page-errors';

test('a viewer’s page may report, and gets no body back', async () => {
  const answer = await POST(request('POST', PATH, 'vic', REPORT));
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  expect(lines).toMatchObject([{ kind: 'worker', error: 'TypeError: it failed', at: 'a.js:1:2', operator: 'vic' }]);
});

test('a stranger, another site, and a body of another form write nothing', async () => {
  expect(await refusalIn(await POST(request('POST', PATH, undefined, REPORT)))).toEqual([401, 'not_signed_in']);
  const foreign = request('POST', PATH, 'vic', REPORT);
  foreign.headers.set('sec-fetch-site', 'cross-site');
  expect(await refusalIn(await POST(foreign))).toEqual([403, 'cross_site']);
  const bodies = [
    { ...REPORT, kind: 'other' },
    { ...REPORT, at: 'https://lookout.example/?view=46.9,8.2,8' },
    { ...REPORT, at: 'a.js:1:2\n{}' },
    { ...REPORT, message: 'x'.repeat(201) },
    { ...REPORT, view: '46.9,8.2' },
    { ...REPORT, message: 7 },
    [REPORT],
    null,
  ];
  for (const body of bodies)
    expect(await refusalIn(await POST(request('POST', PATH, 'vic', body))), JSON.stringify(body)).toEqual([
      400,
      'bad_body',
    ]);
  const large = { ...REPORT, message: 'x'.repeat(2000) };
  expect(await refusalIn(await POST(request('POST', PATH, 'vic', large)))).toEqual([413, 'too_large']);
  const invalid = new Request('https://lookout.example/api/page-errors', {
    method: 'POST',
    headers: request('POST', PATH, 'vic').headers,
    body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
  });
  expect(await refusalIn(await POST(invalid))).toEqual([400, 'bad_body']);
  expect(lines).toEqual([]);
});
