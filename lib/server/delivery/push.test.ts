import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PushChoices } from '#lib/api/people/push.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import { noticeOf } from '#lib/outputs/notice.fixture.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { PushService } from '#testing/push-service.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { digest } from '../sign-in/digest.ts';
import { bindSubscriptions, Sessions } from '../sign-in/sessions.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { OPENED_AT } from '../zones/alarms/transition.fixture.ts';
import { newZone } from '../zones/new-zone.fixture.ts';
import { openGuard } from './guard.ts';
import { al, opened, RunningDelivery } from './running-delivery.fixture.ts';
import { openPush, vapidKeys } from './senders/push.ts';
import { depsOf } from './senders/sender-deps.fixture.ts';

const SIGNED_IN_MS = Date.UTC(2026, 10, 27);
const LEASE = { fence: 0, onChange: () => () => undefined };

describeDatabases('push', ({ open, testOnce }) => {
  let database: Database;
  let running: RunningDelivery;
  let service: PushService;
  let sessions: Sessions;
  beforeEach(async () => {
    database = await open();
    running = new RunningDelivery(database, LEASE);
    service = await PushService.open();
    sessions = new Sessions(database, () => localInstant(SIGNED_IN_MS), strictSupervisor().part('sessions'));
    service.key = (await running.push.of('al')).key;
  });
  afterEach(async () => {
    expect(service.refused).toEqual([]);
    await running.close();
    await sessions.shutDown();
    service.close();
  });

  /** Switches push on for a person who has signed in. @returns the session's id and key, and the subscription's id */
  async function switchOn(name: string, choices: Partial<PushChoices> = {}, role: 'viewer' | 'admin' = 'viewer') {
    running.roles.set(name, role);
    const by = { source: 'password', operatorId: name, credential: 'hash' } as const;
    const session = await sessions.open(by, { browser: 'Chrome on Android', address: '192.0.2.7', isKept: false });
    const key = digest(session);
    const id = await running.push.add(key, service.subscription(choices), 'Chrome on Android');
    return { session, key, id };
  }
  const ruleOf = ({ rules }: Zone) => rules[0]?.id ?? '';
  const titles = () => service.pushed.map(({ title }) => title);

  test('sends a signed and encrypted alarm without positions, and says what is simulated', async () => {
    await switchOn('al');
    const { of } = await running.addZone({});
    await running.commit(of({ simulated: true }));
    await running.pass();
    const [{ title, body, path, tag, at, headers }] = service.pushed as [(typeof service.pushed)[0]];
    expect({ title, body, at }).toEqual({
      title: 'SIM · Drone a in Runway 14',
      body: 'Drone entered\nOpened 2026-11-27 12:00:00Z',
      at: Date.parse('2026-11-27T12:00:00Z'),
    });
    // The centre of the zone: the position is at 47.5.
    expect(path).toMatch(/^\/\?view=47\.4,8\.5,13&at=2026-11-27T12:00:00Z&/);
    expect(JSON.stringify(service.pushed)).not.toContain('47.5');
    expect(tag).toBe((await running.alarms.list(al, {})).alarms[0]?.id);
    expect(headers).toMatchObject({ urgency: 'high', ttl: '14400', 'content-length': '4096' });
    const { list } = await running.push.of('al');
    expect(list).toMatchObject([{ problem: null, last_arrived_at: expect.any(String) }]);
    expect(JSON.stringify(list)).not.toContain('127.0.0.1');
  });

  test('sends height and place to those who chose so', async () => {
    await switchOn('al', { positions: true });
    const { of } = await running.addZone({});
    await running.commit(of());
    await running.pass();
    expect(service.pushed[0]?.body).toContain('Drone entered · height not reported · 11 km N of the centre\n');
    expect(service.pushed[0]?.path).toContain('view=47.5,8.5,13&');
  });

  test('sends alarms that the person sees: own and shared zones, and every zone to an admin', async () => {
    const hidden = await running.addZone({}, 'Hidden');
    const shared = await running.zones.add(al, { ...newZone({ name: 'Shared' }), shared: true });
    const inShared = hidden.of({ zone: shared.id, rule: ruleOf(shared), key: 'b' });
    const bea = await switchOn('bea');
    await running.commit(hidden.of(), inShared);
    await running.pass();
    expect(titles()).toEqual(['Drone a in Shared']);
    await running.push.remove('bea', bea.id);
    await switchOn('root', {}, 'admin');
    await running.commit(hidden.of({ key: 'c' }));
    await running.pass();
    expect(titles()).toEqual(['Drone a in Shared', 'Drone a in Hidden']);
  });

  test('sends nothing of a zone that was hidden while the push service was away', async () => {
    const zone = await running.zones.add(al, { ...newZone({ name: 'Shared' }), shared: true });
    const { of } = await running.addZone({}, 'Other');
    await switchOn('bea');
    service.answerStatus(503);
    await running.commit(of({ zone: zone.id, rule: ruleOf(zone) }));
    await running.pass();
    expect(service.pushed).toHaveLength(1);
    service.answerStatus(201);
    const { revision, name, shape, landmark, vertical, hours, source, history_requests_a_day, rules } = zone;
    const content = { shape, landmark, vertical, hours, source, history_requests_a_day, rules };
    await running.zones.change(al, zone.id, { revision, name, shared: false, ...content });
    await running.pass(HOUR_MS);
    expect(service.pushed).toHaveLength(1);
  });

  test('sends nothing of the zones of others to a person who was an admin when it failed', async () => {
    const { of } = await running.addZone({}, 'Hidden');
    await switchOn('root', {}, 'admin');
    service.answerStatus(503);
    await running.commit(of());
    await running.pass();
    expect(service.pushed).toHaveLength(1);
    service.answerStatus(201);
    running.roles.set('root', 'viewer');
    await running.pass(HOUR_MS);
    expect(service.pushed).toHaveLength(1);
  });

  test('sends nothing to a person who may not view any more, or whose session was ended', async () => {
    const { of } = await running.addZone({});
    const lost = await switchOn('al');
    await running.commit(of());
    running.roles.delete('al');
    await running.pass();
    expect(service.pushed).toEqual([]);
    expect((await running.push.of('al')).list).toEqual([]);
    running.roles.set('al', 'viewer');
    await expect(running.push.sendTrial('al', lost.id)).rejects.toMatchObject({ code: 'not_found' });

    const { session } = await switchOn('al');
    await sessions.close(session);
    expect((await running.push.of('al')).list).toEqual([]);
    await running.commit(of({ key: 'b' }));
    await running.pass();
    expect(service.pushed).toEqual([]);
    expect(await database.query.selectFrom('push_subscription').select('id').execute()).toEqual([]);
  });

  test('passes a later notice whose alarm was deleted', async () => {
    await switchOn('al');
    const { of } = await running.addZone({});
    const late = { alarm_id: 'deleted', destination_id: 'd', type: 'escalated', due_ms: 0 };
    await database.query.insertInto('later_notice').values(late).execute();
    await running.commit(of());
    await running.pass();
    expect(titles()).toEqual(['Drone a in Runway 14']);
    expect(await database.query.selectFrom('later_notice').selectAll().execute()).toEqual([]);
  });

  test('survives the end of its session by time, and ends with all sessions of its person', async () => {
    const { session } = await switchOn('al');
    await sessions.drop({ key: digest(session), credentialDigest: digest('hash') });
    expect((await running.push.of('al')).list).toHaveLength(1);
    await sessions.end({ operatorId: 'bea' });
    expect((await running.push.of('al')).list).toHaveLength(1);
    await sessions.end({ operatorId: 'al' });
    expect((await running.push.of('al')).list).toEqual([]);
  });

  test('stays with its person who signs in again in the same browser, and not with another', async () => {
    const { session } = await switchOn('al');
    const by = (operatorId: string) => ({ source: 'password', operatorId, credential: 'hash' }) as const;
    const origin = { browser: '', address: '', isKept: false };
    const again = await sessions.open(by('al'), origin);
    await sessions.close(session, again);
    expect((await running.push.of('al')).list).toHaveLength(1);
    const bea = await sessions.open(by('bea'), origin);
    expect(await bindSubscriptions(database.query, digest(bea), ['endpoint', service.subscription().endpoint])).toEqual(
      [],
    );
    await sessions.close(again, bea);
    for (const name of ['al', 'bea']) expect((await running.push.of(name)).list).toEqual([]);
  });

  test('is quiet in the quiet hours, and sends own zones alone to those who chose so', async () => {
    const { id } = await switchOn('al', { own_zones: true, quiet: { from: '23:00', to: '12:30' } });
    const own = await running.addZone({}, 'Own');
    await running.commit(own.of());
    await running.pass();
    expect(titles()).toEqual([]);
    await running.pass(HOUR_MS);
    expect(titles()).toEqual([]);
    const bea = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
    const other = await running.zones.add(bea, { ...newZone({ name: 'Other' }), shared: true });
    await running.commit(own.of({ key: 'b' }), own.of({ zone: other.id, rule: ruleOf(other), key: 'c' }));
    await running.pass();
    expect(titles()).toEqual(['Drone a in Own']);
    const { choices } = (await running.push.of('al')).list[0]!;
    await running.push.change('al', id, { ...choices, own_zones: false });
    await running.commit(own.of({ zone: other.id, rule: ruleOf(other), key: 'd' }));
    await running.pass();
    expect(titles()).toEqual(['Drone a in Own', 'Drone a in Other']);
  });

  testOnce('keeps what failed before the quiet hours until they are over, and a trial does not wait', async () => {
    const { id } = await switchOn('al', { quiet: { from: '12:05', to: '13:00' } });
    const { of } = await running.addZone({});
    service.answerStatus(503);
    await running.commit(of());
    await running.pass();
    expect(titles()).toHaveLength(1);
    service.answerStatus(201);
    await running.pass(10 * MINUTE_MS);
    expect(titles()).toHaveLength(1);
    await running.push.sendTrial('al', id);
    await running.pass();
    expect(titles().slice(1)).toEqual(['TRIAL · Notices of Lookout arrive here']);
    await running.pass(50 * MINUTE_MS);
    expect(titles().slice(2)).toEqual(['Drone a in Runway 14']);
  });

  test.each([404, 410])(
    'status %d ends the subscription, which its person sees until it is renewed',
    async (status) => {
      const { key, id } = await switchOn('al');
      const { of } = await running.addZone({});
      service.answerStatus(status);
      await running.commit(of());
      await running.pass();
      expect((await running.push.of('al')).list).toMatchObject([{ id, is_on: false }]);
      expect(await running.push.browsers()).toEqual([]);
      await expect(running.push.sendTrial('al', id)).rejects.toMatchObject({ code: 'not_possible' });
      expect(running.audited).toEqual([
        expect.objectContaining({ kind: 'destination_switched_off', destination: 'Chrome on Android of al' }),
        expect.objectContaining({ kind: 'delivery_given_up', notices: 1 }),
      ]);
      service.answerStatus(201);
      await running.commit(of({ key: 'b' }));
      await running.pass();
      expect(service.pushed).toHaveLength(1);

      const { endpoint, keys } = service.subscription();
      const earlier = `${endpoint}/earlier`;
      await database.query.updateTable('push_subscription').set({ endpoint: earlier }).execute();
      const renewed = { endpoint, keys };
      expect(await running.push.bind(key, { endpoint: `${endpoint}/none`, renewed })).toBeNull();
      expect(await running.push.bind(key, { endpoint: earlier, renewed })).toBe(id);
      await running.commit(of({ key: 'c' }));
      await running.pass();
      expect(service.pushed).toHaveLength(2);
      expect((await running.push.of('al')).list).toMatchObject([{ id, is_on: true, problem: null }]);
    },
  );

  test('is renewed by its own person alone, and takes the place of one with the same endpoint', async () => {
    const { endpoint, keys } = service.subscription();
    const { key, id } = await switchOn('al');
    await database.query
      .updateTable('push_subscription')
      .set({ endpoint: `${endpoint}/earlier` })
      .execute();
    const bea = await switchOn('bea');
    const change = { endpoint: `${endpoint}/earlier`, renewed: { endpoint, keys } };
    expect(await running.push.bind(bea.key, change)).toBeNull();
    const wrong = (renewed: object) =>
      running.push.bind(key, { ...change, renewed: { ...change.renewed, ...renewed } });
    await expect(wrong({ endpoint: 'https://localhost.localdomain/x' })).rejects.toMatchObject({ code: 'bad_body' });
    await expect(wrong({ keys: { ...keys, p256dh: 'A'.repeat(87) } })).rejects.toMatchObject({ code: 'bad_body' });
    expect(await running.push.bind(key, change)).toBe(id);
    expect((await running.push.of('bea')).list).toEqual([]);
    expect(await running.push.bind(key, { endpoint, renewed: { endpoint, keys } })).toBe(id);
  });

  testOnce('tries until the push service accepts, with one tag over all tries', async () => {
    const { id } = await switchOn('al');
    const { of } = await running.addZone({});
    service.answerStatus(503);
    await running.commit(of());
    await running.pass();
    expect((await running.push.of('al')).list[0]).toMatchObject({ problem: 'It answered with status 503.' });
    service.answerStatus(201);
    await running.pass(MINUTE_MS);
    await running.pass(MINUTE_MS);
    expect(service.pushed).toHaveLength(2);
    expect(new Set(service.pushed.map(({ tag }) => tag)).size).toBe(1);
    await running.push.sendTrial('al', id);
    await running.pass();
    expect(service.pushed[2]).toMatchObject({
      title: 'TRIAL · Notices of Lookout arrive here',
      body: 'There is no alarm.',
      path: '/',
    });
  });

  testOnce('sends so many an hour, and one that counts the rest', async () => {
    await switchOn('al');
    const { of } = await running.addZone({});
    running.now = addMs(OPENED_AT, 0);
    await running.commit(...opened(of, 80));
    await running.pass();
    expect(service.pushed).toHaveLength(60);
    await running.pass(HOUR_MS);
    expect(titles().slice(60)).toEqual(['20 more alarms in Runway 14']);
  });

  testOnce('of single sign-on ends a day after the sign-in', async () => {
    const person = { name: 'Carla', role: 'viewer', issuer: 'https://login.example', subject: '7' } as const;
    const by = { source: 'oidc', operatorId: 'oidc:x', credential: 'terms', ...person } as const;
    const session = await sessions.open(by, { browser: '', address: '', isKept: true });
    await running.push.add(digest(session), service.subscription(), 'Chrome on Android');
    const stored = database.query.selectFrom('push_subscription').select(['ends_ms', 'person']);
    expect(await stored.executeTakeFirst()).toEqual({ ends_ms: SIGNED_IN_MS + DAY_MS, person: JSON.stringify(person) });
  });

  testOnce('connects to no private address that is not listed, whatever the subscription says', async () => {
    const guard = openGuard([]);
    const { endpoint, keys } = service.subscription();
    const config = { kind: 'push', endpoint, ...keys, positions: false } as const;
    const vapid = () => vapidKeys(database);
    const sending = openPush(config, { ...depsOf(guard), vapid }).send(noticeOf(), new AbortController().signal);
    await expect(sending).rejects.toMatchObject({ message: expect.stringContaining('OUTPUT_PRIVATE_ADDRESSES') });
    await guard.close();
    expect(service.pushed).toEqual([]);
  });

  testOnce('refuses a private address, a point that is no key, and more than ten browsers of a person', async () => {
    const { key } = await switchOn('al');
    const add = (change: object) => running.push.add(key, { ...service.subscription(), ...change }, 'Firefox on Linux');
    for (const host of ['10.0.0.7', '169.254.169.254', '[fd00::1]', '192.168.1.1:8443', '[::ffff:10.0.0.7]'])
      await expect(add({ endpoint: `https://${host}/x` })).rejects.toMatchObject({
        message: expect.stringContaining('OUTPUT_PRIVATE_ADDRESSES'),
      });
    const keys = { ...service.subscription().keys, p256dh: 'A'.repeat(87) };
    await expect(add({ keys })).rejects.toMatchObject({ code: 'bad_body' });
    const { endpoint } = service.subscription();
    for (let count = 1; count < 10; count++) await add({ endpoint: `${endpoint}${count}` });
    await expect(add({ endpoint: `${endpoint}11` })).rejects.toMatchObject({ code: 'not_possible' });
    // The same browser again.
    await add({});
    expect((await running.push.of('al')).list).toHaveLength(10);
  });
});
