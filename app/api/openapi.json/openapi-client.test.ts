import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiAnswer, undocumented } from '#testing/api-document.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { GeneratedClient } from '#testing/generated-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import document from '../../../docs/openapi.json' with { type: 'json' };

/** A program of another author. It writes each answer, as JSON on a line. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './lookout.ts';

const [, , baseUrl = '', name = '', password = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { origin: baseUrl } });
let cookie = '';
client.use({
  onRequest({ request }) {
    if (cookie) request.headers.set('cookie', cookie);
  },
  async onResponse({ request, response }) {
    cookie = response.headers.getSetCookie().find((each) => each.startsWith('lookout='))?.split(';')[0] ?? cookie;
    const { pathname: path } = new URL(request.url);
    const type = response.headers.get('content-type') ?? '';
    console.log(JSON.stringify({ method: request.method, path, status: response.status, type, text: await response.clone().text() }));
  },
});

function dataOf<Data>({ data, response }: { data?: Data; response: Response }): Data {
  if (data === undefined) throw new Error(response.url + ': ' + response.status);
  return data;
}

// A session.
const refused = await client.POST('/api/session', { body: { name, password: 'wrong' } });
const code: components['schemas']['ErrorAnswer']['error']['code'] | undefined = refused.error?.error.code;
if (code !== 'sign_in_refused') throw new Error('a wrong password opened a session');
await client.POST('/api/session', { body: { name, password } });
const { operator } = dataOf(await client.GET('/api/session'));
if (operator !== name) throw new Error('the session is that of ' + operator);

// A poll.
const bbox = '7.5,46.5,9.5,48.5';
let seen = 0;
for (let polls = 0; seen === 0 && polls < 40; polls++) {
  const view = dataOf(await client.GET('/api/live', { params: { query: { bbox, layers: 'adsb' } } }));
  seen = view.layers.adsb?.records.length ?? 0;
  await new Promise((resolve) => setTimeout(resolve, Math.min(250, view.next_poll_ms)));
}
if (seen === 0) throw new Error('no position was received');

// A replay.
const end = new Date(Math.floor(Date.now() / 60_000 - 2) * 60_000);
const past = { bbox, layers: 'adsb', start: new Date(end.getTime() - 120_000).toISOString(), end: end.toISOString() };
const cost = dataOf(await client.GET('/api/history/cost', { params: { query: past } }));
const max_requests = String(cost.middle.max_requests);
const stream = dataOf(await client.GET('/api/history', { params: { query: { ...past, max_requests } }, parseAs: 'text' }));
const lines = stream.trim().split('\\n').map((line): components['schemas']['HistoryLine'] => JSON.parse(line));
const last = lines.at(-1);
if (last?.type !== 'end' || !last.layers.adsb?.records) throw new Error('the replay has no positions');

// A zone.
const { zone } = dataOf(
  await client.POST('/api/zones', {
    body: {
      name: 'By a program',
      shape: { type: 'Circle', centre: [8.5, 47.5], radius_m: 150_000 },
      vertical: null,
      hours: null,
      rules: [{ kind: 'entered', layers: ['adsb'], simulated: true, hold_s: 0 }],
    },
  }),
);
dataOf(await client.GET('/api/zones'));

// An alarm.
let since: string | undefined;
let alarm: components['schemas']['Alarm'] | undefined;
while (!alarm) {
  const query = { zone: zone.id, wait: '5000', ...(since !== undefined && { since }) };
  const answer = dataOf(await client.GET('/api/alarms', { params: { query } }));
  [alarm] = answer.alarms;
  since = answer.next;
}
const path = { id: alarm.id };
const taken = dataOf(
  await client.POST('/api/alarms/{id}/acknowledge', { params: { path }, body: { revision: alarm.revision, comment: 'Seen' } }),
);
dataOf(await client.POST('/api/alarms/{id}/close', { params: { path }, body: { revision: taken.revision, as: 'handled' } }));
const again = await client.POST('/api/alarms/{id}/close', { params: { path }, body: { revision: alarm.revision, as: 'handled' } });
if (again.error?.error.code !== 'revision_conflict') throw new Error('an old answer was taken');
await client.DELETE('/api/zones/{id}', { params: { path: { id: zone.id } } });
await client.DELETE('/api/session');
const { response } = await client.GET('/api/session');
if (response.status !== 401) throw new Error('the session goes on');
`;

const program = new GeneratedClient(PROGRAM);
let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['ada', 'vic'],
    roles: { vic: 'viewer' },
    settings: { POSITIONS_ALLOWANCE: 'none', POSITIONS_EMBEDDED: '1' },
  });
  await program.generate();
});
afterAll(async () => {
  program.remove();
  await lookout.stop();
});

test('a program runs with types generated from the document, and each answer is as the document says', async () => {
  expect(await program.typeErrors()).toBe('');
  const written = await program.start(lookout.url, 'ada', lookout.operator('ada').password);
  const answers = written
    .trim()
    .split('\n')
    .map((line): ApiAnswer => JSON.parse(line));
  expect(answers.map((answer) => undocumented(answer)).filter((problem) => problem)).toEqual([]);
  const named = answers.map(
    ({ method, path, status }) => `${status} ${method} ${path.replaceAll(/[0-9a-f-]{36}/g, 'ID')}`,
  );
  expect(new Set(named)).toEqual(
    new Set([
      '401 POST /api/session',
      '204 POST /api/session',
      '200 GET /api/session',
      '200 GET /api/live',
      '200 GET /api/history/cost',
      '200 GET /api/history',
      '201 POST /api/zones',
      '200 GET /api/zones',
      '200 GET /api/alarms',
      '200 POST /api/alarms/ID/acknowledge',
      '200 POST /api/alarms/ID/close',
      '409 POST /api/alarms/ID/close',
      '204 DELETE /api/zones/ID',
      '204 DELETE /api/session',
      '401 GET /api/session',
    ]),
  );
});

test('the compiler refuses a request that the document does not have', async () => {
  const wrong = new GeneratedClient(`${PROGRAM}
    await client.POST('/api/zones', { body: { name: 'Without a shape', vertical: null, hours: null, rules: [] } });
    await client.GET('/api/zone');`);
  await wrong.generate();
  const errors = await wrong.typeErrors();
  wrong.remove();
  expect(errors).toContain("'shape'");
  expect(errors.match(/error TS/g)).toHaveLength(2);
});

test('a viewer gets the document, and a stranger does not', async () => {
  const address = `${lookout.url}/api/openapi.json`;
  expectRefusal(await ask(address), 401, 'not_signed_in');
  const answer = await ask(address, { headers: { cookie: await lookout.signIn('vic') } });
  expect(answer.json()).toEqual(document);
});

test('an answer that is not as the document says is found', () => {
  const answer = { method: 'GET', path: '/api/session', status: 200, type: 'application/json' };
  const text = { operator: null, role: 'admin', sign_in_required: false };
  expect(undocumented({ ...answer, text: JSON.stringify(text) })).toBeUndefined();
  expect(undocumented({ ...answer, text: JSON.stringify({ ...text, role: 'king' }) })).toContain('/role');
  expect(undocumented({ ...answer, text: JSON.stringify({ ...text, more: 1 }) })).toContain('additional properties');
  expect(undocumented({ ...answer, status: 201, text: '' })).toContain('201');
  expect(undocumented({ ...answer, type: 'text/html', text: '<p>' })).toContain('text/html');
});
