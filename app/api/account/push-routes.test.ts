import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ApiClient, passwordOf } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { PushService } from '#testing/push-service.ts';

let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['ada', 'ben', 'cleo', 'dora', 'eve'],
    roles: { ada: 'admin', cleo: 'viewer' },
    settings: { OUTPUT_PRIVATE_ADDRESSES: '127.0.0.1' },
  });
});
afterAll(() => lookout.stop());

/** A browser of a person in which push was switched on. */
async function switchedOn(name: string) {
  const service = await PushService.open();
  onTestFinished(() => {
    expect(service.refused).toEqual([]);
    service.close();
  });
  const browser = await ApiClient.signedIn(lookout, name);
  service.key = (await browser.account()).push.key;
  const answer = await browser.ask('POST', '/api/account/push', service.subscription());
  expect(answer.status, answer.text).toBe(201);
  const { id } = answer.json() as { id: string };
  const trial = () => browser.tries('POST', `/api/account/push/${id}/trial`);
  const list = async (of = browser) => (await of.account()).push.list;
  const { endpoint } = service.subscription();
  const here = async (of = browser) => (await of.ask('PUT', '/api/account/push', { endpoint })).json();
  return { service, browser, id, trial, list, here };
}

test('A person switches push on, tries it, changes it and switches it off; the audit names the push service', async () => {
  const { service, browser, id, trial, list, here } = await switchedOn('cleo');
  expect(await trial()).toBe('202');
  await eventually(() => expect(service.pushed).toMatchObject([{ title: 'TRIAL · Notices of Lookout arrive here' }]));
  const [row] = await list();
  expect(row).toMatchObject({ id, browser: 'Firefox on Linux', problem: null });
  expect(await here()).toEqual({ id });
  const choices = { ...row!.choices, positions: true, quiet: { from: '22:00', to: '06:00' } };
  expect(await browser.tries('PATCH', `/api/account/push/${id}`, choices)).toBe('204');
  expect((await list())[0]?.choices).toEqual(choices);
  for (const wrong of [
    { quiet: { from: '22:00', to: '22:00' } },
    { time_zone: 'Mars' },
    { quiet: { from: '9', to: '10' } },
  ])
    expect(await browser.tries('PATCH', `/api/account/push/${id}`, { ...choices, ...wrong })).toBe('400 bad_body');
  expect(await browser.tries('DELETE', `/api/account/push/${id}`)).toBe('204');
  expect(await browser.tries('DELETE', `/api/account/push/${id}`)).toBe('404 not_found');
  expect(await list()).toEqual([]);
  expect(await here()).toEqual({ id: null });
  const ada = await ApiClient.signedIn(lookout, 'ada');
  const { entries } = (await ada.ask('GET', '/api/admin/audit?operator=cleo')).json();
  expect(entries.map(({ event }: { event: { kind: string } }) => event)).toEqual(
    expect.arrayContaining([
      { kind: 'push_added', person: 'cleo', browser: 'Firefox on Linux', to: expect.stringMatching(/^127\.0\.0\.1:/) },
      { kind: 'push_removed', person: 'cleo', browser: 'Firefox on Linux' },
    ]),
  );
  expect(JSON.stringify(entries)).not.toContain('/send/');
  expect(lookout.log()).not.toContain('/send/');
});

test('A subscription that the browser renewed keeps its choices, and the audit has its push service', async () => {
  const { service, browser, id, list, trial } = await switchedOn('cleo');
  const other = await PushService.open();
  other.key = (await browser.account()).push.key;
  const chosen = { ...(await list())[0]!.choices, own_zones: true };
  expect(await browser.tries('PATCH', `/api/account/push/${id}`, chosen)).toBe('204');
  const { endpoint } = service.subscription();
  const { choices: _, ...renewed } = other.subscription();
  expect((await browser.ask('PUT', '/api/account/push', { endpoint, renewed })).json()).toEqual({ id });
  expect(await list()).toMatchObject([{ id, choices: chosen }]);
  expect(await trial()).toBe('202');
  await eventually(() => expect(other.pushed).toHaveLength(1));
  other.close();
  const ada = await ApiClient.signedIn(lookout, 'ada');
  const { entries } = (await ada.ask('GET', '/api/admin/audit?operator=cleo')).json();
  const to = new URL(renewed.endpoint).host;
  expect(entries[0].event).toEqual({ kind: 'push_added', person: 'cleo', browser: 'Firefox on Linux', to });
  expect(await browser.tries('DELETE', `/api/account/push/${id}`)).toBe('204');
});

test('A subscription is changed, tried and removed by its own person alone', async () => {
  const { id, list, browser } = await switchedOn('ben');
  const { choices } = (await list())[0]!;
  for (const name of ['cleo', 'ada']) {
    const other = await ApiClient.signedIn(lookout, name);
    expect(await list(other)).toEqual([]);
    expect(await other.tries('PATCH', `/api/account/push/${id}`, choices)).toBe('404 not_found');
    expect(await other.tries('POST', `/api/account/push/${id}/trial`)).toBe('404 not_found');
    expect(await other.tries('DELETE', `/api/account/push/${id}`)).toBe('404 not_found');
  }
  expect(await list()).toHaveLength(1);
  expect(await browser.tries('DELETE', '/api/session')).toBe('204');
  expect(await list(await ApiClient.signedIn(lookout, 'ben'))).toEqual([]);
});

test('An admin sees the browsers of a person, and ends them with all sessions', async () => {
  const { service, list } = await switchedOn('dora');
  const ada = await ApiClient.signedIn(lookout, 'ada');
  const dora = async () => {
    const { people } = (await ada.ask('GET', '/api/admin/people')).json();
    return people.find(({ id }: { id: string }) => id === 'dora');
  };
  expect((await dora()).push).toEqual(['Firefox on Linux']);
  expect(await ada.tries('DELETE', '/api/admin/people/dora/sessions')).toBe('200');
  expect((await dora()).push).toEqual([]);
  expect(await list(await ApiClient.signedIn(lookout, 'dora'))).toEqual([]);
  expect(service.pushed).toEqual([]);
});

test('A new password ends the other browsers, and a person who is removed gets nothing more', async () => {
  const [kept, other] = [await switchedOn('eve'), await switchedOn('eve')];
  const next = 'nine gulls over the terminal';
  const change = { present: passwordOf(lookout, 'eve'), next };
  expect(await kept.browser.tries('PUT', '/api/account/password', change)).toBe('200');
  expect((await kept.list()).map(({ id }) => id)).toEqual([kept.id]);
  expect(await kept.trial()).toBe('202');
  await eventually(() => expect(kept.service.pushed).toHaveLength(1));
  await lookout.removeOperator('eve');
  const stored = () => lookout.runtime.push.browsers();
  await eventually(async () => expect((await stored()).some(({ owner }) => owner === 'eve')).toBe(false));
  expect(other.service.pushed).toEqual([]);
});

test('A push endpoint at a private address, without https, or of another kind of key is refused', async () => {
  const { service, browser } = await switchedOn('ben');
  const subscription = service.subscription();
  const refusal = async (change: object) =>
    (await browser.ask('POST', '/api/account/push', { ...subscription, ...change })).text;
  for (const endpoint of ['https://10.0.0.7/x', 'https://169.254.169.254/latest', 'https://192.168.0.1:8443/'])
    expect(await refusal({ endpoint })).toContain('has no public address');
  for (const endpoint of ['http://127.0.0.1/x', 'file:///etc/passwd', 'javascript:alert(1)'])
    expect(await refusal({ endpoint })).toContain('must be an address with https');
  expect(await refusal({ keys: { ...subscription.keys, auth: 'short' } })).toContain('must be a key');
});

test('A person who has to choose a password first gets no alarms', async () => {
  const ada = await ApiClient.signedIn(lookout, 'ada');
  const made = (await ada.ask('POST', '/api/admin/people', { name: 'fay', role: 'viewer' })).json();
  const fay = await ApiClient.signedIn(lookout, 'fay', made.password);
  const service = await PushService.open();
  expect(await fay.tries('POST', '/api/account/push', service.subscription())).toBe('403 account_unfinished');
  service.close();
});
