import { beforeEach, expect, test } from 'vitest';
import { changedDestinationSchema, deliveriesSchema, destinationsSchema } from '#lib/api/outputs/destinations.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { RunningDelivery } from '#lib/server/delivery/running-delivery.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { GET as getOfAlarm } from '../../alarms/[id]/deliveries/route.ts';
import { GET as getNames } from '../../destinations/route.ts';
import { GET as getDeliveries } from './[id]/deliveries/route.ts';
import { DELETE, PATCH } from './[id]/route.ts';
import { DELETE as dropSecrets, POST as makeSecret } from './[id]/secret/route.ts';
import { POST as sendTrial } from './[id]/trial/route.ts';
import { GET, POST } from './route.ts';

let running: RunningDelivery;
const audited: AuditEvent[] = [];
const request = signedInRoutes(
  { ada: 'admin', al: 'operator', vi: 'viewer' },
  {
    get destinations() {
      return running.destinations;
    },
    get deliveries() {
      return running.deliveries;
    },
    audit: { record: (_: unknown, event: AuditEvent) => audited.push(event) },
  },
);
beforeEach(async () => {
  const database = await memoryDatabase();
  running = new RunningDelivery(database);
  audited.length = 0;
  return async () => {
    await running.close();
    await database.close();
  };
});

const PATH = '/api/admin/destinations';
const hook = { name: 'Desk', config: { kind: 'webhook', url: 'https://desk.example/hook' } };
const mail = {
  name: 'Mail',
  config: { kind: 'mail', host: 'mail.example', port: 587, security: 'starttls', from: 'a@b.ch', to: ['c@d.ch'] },
};
const added = async (body: object) =>
  changedDestinationSchema.parse(await (await POST(request('POST', PATH, 'ada', body))).json());

test('a secret is shown once, and by no later answer', async () => {
  const { destination, secret } = await added(hook);
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const { destination: own, secret: none } = await added({ ...mail, secret: 'swordfish' });
  expect([destination.secrets, own.secrets, none]).toEqual([1, 1, null]);
  const answers = [
    await GET(request('GET', PATH, 'ada')),
    await PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', { ...hook, name: 'New', revision: 1 })),
    await getDeliveries(request('GET', `${PATH}/${destination.id}/deliveries`, 'ada')),
  ];
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(texts.join(' ')).toContain('"name":"New"');
  expect(texts.join(' ')).not.toMatch(/whsec_|swordfish/);
});

test('a change removes a password, but no secret that signs', async () => {
  const change = async (destination: { readonly id: string }, body: object) =>
    PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', { ...body, secret: null, revision: 1 }));
  const { destination } = await added({ ...mail, secret: 'swordfish' });
  expect(await (await change(destination, mail)).json()).toMatchObject({ destination: { secrets: 0, revision: 2 } });
  const { destination: signing } = await added(hook);
  expect(await refusalIn(await change(signing, hook))).toEqual([400, 'bad_body']);
});

test('only admins see or change destinations, operators their names', async () => {
  const { destination } = await added(hook);
  await added({ name: 'Dead man', config: { kind: 'heartbeat', url: 'https://hc.example/x' } });
  expect(await refusalIn(await GET(request('GET', PATH, 'al')))).toEqual([403, 'not_permitted']);
  expect(await refusalIn(await POST(request('POST', PATH, 'al', hook)))).toEqual([403, 'not_permitted']);
  expect(await refusalIn(await getNames(request('GET', '/api/destinations', 'vi')))).toEqual([403, 'not_permitted']);
  const names = await (await getNames(request('GET', '/api/destinations', 'al'))).json();
  expect(names).toEqual({
    destinations: [{ id: destination.id, name: 'Desk', kind: 'webhook', is_on: true, all_alarms: false }],
  });
  const ofAlarm = await getOfAlarm(request('GET', `/api/alarms/${destination.id}/deliveries`, 'vi'));
  expect(await refusalIn(ofAlarm)).toEqual([404, 'not_found']);
});

test.each([
  [{ config: { kind: 'webhook', url: 'ftp://desk.example' } }, 400, 'bad_body'],
  [{ config: { kind: 'webhook', url: 'https://desk.example' }, secret: 'whsec_short' }, 400, 'bad_body'],
  [{ config: { kind: 'mqtt', url: 'mqtts://broker.example', ca_pem: 'none' } }, 400, 'bad_body'],
  [{ time_zone: '+02:00' }, 400, 'bad_body'],
  [{ name: 'Desk\r\nBcc: x@y.ch' }, 400, 'bad_body'],
  [{}, 409, 'name_taken'],
])('refuses %j', async (change, status, code) => {
  await added(hook);
  const answer = await POST(request('POST', PATH, 'ada', { ...hook, ...change }));
  expect(await refusalIn(answer)).toEqual([status, code]);
});

test.each([
  { kind: 'webhook', url: 'https://al:swordfish@desk.example' },
  { kind: 'ntfy', url: 'https://tk_token@ntfy.example/tower' },
  { kind: 'mqtt', url: 'mqtts://:swordfish@broker.example' },
  { kind: 'heartbeat', url: 'http://al@beat.example' },
])('refuses an address with user or password: $url', async (config) => {
  const answer = await POST(request('POST', PATH, 'ada', { name: 'Desk', config }));
  const text = await answer.text();
  expect(text).toContain('config.url: must contain no user or password, because answers would show it');
  expect(text).not.toMatch(/swordfish|tk_token/);
});

const HOOK = 'https://desk.example/hook';
const mailTo = mail.config;
const mqtt = { kind: 'mqtt', url: 'mqtts://broker.example', user: 'al' };
test.each([
  [
    { kind: 'webhook', url: HOOK },
    { url: 'https://other.example/hook' },
    /other\.example:443 in place of .*desk\.example:443/,
  ],
  [{ kind: 'webhook', url: HOOK }, { url: 'https://desk.example:8443/hook' }, /:8443 in place of/],
  [{ kind: 'webhook', url: HOOK }, { url: 'http://desk.example:443/hook' }, /http:\/\/desk/],
  [{ kind: 'ntfy', url: 'https://ntfy.example/a' }, { url: 'https://ntfy.example.evil.example/a' }, /evil/],
  [{ kind: 'ntfy', url: 'https://ntfy.example/a' }, { url: 'http://ntfy.example/a' }, /http:/],
  [mailTo, { host: 'evil.example' }, /evil\.example:587/],
  [mailTo, { port: 25 }, /:25 in place of/],
  [mailTo, { security: 'none' }, /not encrypted/],
  [mqtt, { url: 'mqtt://broker.example:8883' }, /mqtt:/],
  [mqtt, { url: 'mqtts://broker.example:8884' }, /8884/],
])('a change of %j needs the secret again: %j', async (config, changed, words) => {
  const secret = config.kind === 'webhook' ? undefined : 'swordfish';
  const { destination } = await added({ name: 'Moving', config, ...(secret && { secret }) });
  const change = (body: object) =>
    PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', { name: 'Moving', ...body }));
  const moved = { config: { ...config, ...changed }, revision: 1 };
  const refused = await change(moved);
  expect(refused.status).toBe(400);
  const { error } = (await refused.json()) as { error: { message: string } };
  expect(error.message).toMatch(/^secret: give it again/);
  expect(error.message).toMatch(words);
  const stored = await running.destinations.list();
  expect(stored[0]).toMatchObject({ revision: 1, config });
  const again = secret ?? `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  expect((await change({ ...moved, secret: again })).status).toBe(200);
  expect(audited.at(-1)).toMatchObject({
    kind: 'destination_changed',
    from: expect.any(String),
    to: expect.any(String),
  });
});

test.each([
  [{ kind: 'webhook', url: HOOK }, { url: 'https://DESK.example:443/other?query=1' }],
  [
    { kind: 'ntfy', url: 'https://ntfy.example/a' },
    { url: 'https://ntfy.example/b', priority: 5 },
  ],
  [{ kind: 'ntfy', url: 'http://ntfy.example:8080/a' }, { url: 'https://ntfy.example:8080/a' }],
  [mailTo, { security: 'tls', user: 'al', from: 'x@y.ch' }],
  [mqtt, { user: 'ada', topic: 'other' }],
])('the secret of %j is kept by %j', async (config, changed) => {
  const { destination } = await added({
    name: 'Kept',
    config,
    ...(config.kind !== 'webhook' && { secret: 'swordfish' }),
  });
  const body = { name: 'Kept', config: { ...config, ...changed }, revision: 1 };
  const answer = await PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', body));
  expect(await answer.json()).toMatchObject({ destination: { secrets: 1, revision: 2 }, secret: null });
});

test('a webhook that moves gets a new secret on request, and the old ones sign no more', async () => {
  const { destination } = await added(hook);
  await makeSecret(request('POST', `${PATH}/${destination.id}/secret`, 'ada'));
  const config = { kind: 'webhook', url: 'https://other.example' };
  const body = { ...hook, config, revision: 2, secret: null };
  const answer = await PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', body));
  expect(await answer.json()).toMatchObject({ destination: { secrets: 1 }, secret: expect.stringMatching(/^whsec_/) });
});

test('a destination without a secret moves freely', async () => {
  const { destination } = await added({ name: 'Open', config: { kind: 'ntfy', url: 'https://ntfy.example/a' } });
  const body = { name: 'Open', config: { kind: 'ntfy', url: 'http://other.example/a' }, revision: 1 };
  expect((await PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', body))).status).toBe(200);
});

test('a change needs the latest revision, and keeps the kind', async () => {
  const { destination } = await added(hook);
  const change = (body: object) => PATCH(request('PATCH', `${PATH}/${destination.id}`, 'ada', body));
  expect(await refusalIn(await change({ ...hook, revision: 7 }))).toEqual([409, 'revision_conflict']);
  expect(await refusalIn(await change({ ...mail, revision: 1 }))).toEqual([400, 'bad_body']);
  expect((await change({ ...hook, is_on: false, revision: 1 })).status).toBe(200);
});

test('each action is in the audit log', async () => {
  const { destination } = await added(hook);
  const path = `${PATH}/${destination.id}`;
  const made = changedDestinationSchema.parse(
    await (await makeSecret(request('POST', `${path}/secret`, 'ada'))).json(),
  );
  expect([made.destination.secrets, made.secret !== null]).toEqual([2, true]);
  const left = await (await dropSecrets(request('DELETE', `${path}/secret`, 'ada'))).json();
  expect(left).toMatchObject({ destination: { secrets: 1 }, secret: null });
  const trial = await sendTrial(request('POST', `${path}/trial`, 'ada'));
  const { delivery } = (await trial.json()) as { delivery: string };
  const { deliveries } = deliveriesSchema.parse(
    await (await getDeliveries(request('GET', `${path}/deliveries`, 'ada'))).json(),
  );
  expect([trial.status, deliveries[0]?.id, deliveries[0]?.type, deliveries[0]?.alarms]).toEqual([
    202,
    delivery,
    'trial',
    0,
  ]);
  await PATCH(request('PATCH', path, 'ada', { ...hook, is_on: false, revision: 3 }));
  expect(await refusalIn(await sendTrial(request('POST', `${path}/trial`, 'ada')))).toEqual([409, 'not_possible']);
  expect((await DELETE(request('DELETE', path, 'ada'))).status).toBe(204);
  const { destinations } = destinationsSchema.parse(await (await GET(request('GET', PATH, 'ada'))).json());
  expect(destinations).toEqual([]);
  expect(audited.map(({ kind }) => kind)).toEqual([
    'destination_added',
    'destination_secret_made',
    'destination_secrets_dropped',
    'destination_trial',
    'destination_changed',
    'destination_removed',
  ]);
});
