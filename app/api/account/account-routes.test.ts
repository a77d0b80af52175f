import { afterAll, beforeAll, expect, test } from 'vitest';
import { endedSchema } from '#lib/api/people/account.ts';
import { ApiClient, passwordOf } from '#testing/api-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({ operators: ['ben', 'cleo'] });
});
afterAll(() => lookout.stop());

test('The cookie ends with the browser, unless it is to be kept', async () => {
  const cookieFor = async (kept: object) => {
    const body = { name: 'cleo', password: passwordOf(lookout, 'cleo'), ...kept };
    const { headers } = await new ApiClient(lookout).ask('POST', '/api/session', body);
    return headers['set-cookie']?.find((cookie) => cookie.startsWith('lookout=')) ?? '';
  };
  for (const ending of [{}, { kept: false }]) {
    const cookie = await cookieFor(ending);
    expect(cookie).toMatch(/^lookout=\S/);
    expect(cookie).not.toMatch(/max-age|expires/i);
  }
  expect(await cookieFor({ kept: true })).toMatch(/max-age=604800/i);
});

test('An operator sees their own sessions, and ends one, or all others', async () => {
  const [desk, phone, other] = [
    await ApiClient.signedIn(lookout, 'ben'),
    await ApiClient.signedIn(lookout, 'ben'),
    await ApiClient.signedIn(lookout, 'ben'),
  ];
  const { operator, role, password, needs, sessions } = await desk.account();
  expect({ operator, role, password, needs }).toEqual({
    operator: 'ben',
    role: 'operator',
    password: true,
    needs: null,
  });
  expect(sessions).toHaveLength(3);
  for (const session of sessions)
    expect(session).toMatchObject({ by: 'password', browser: 'Firefox on Linux', address: '127.0.0.1', kept: false });
  const current = (await phone.account()).sessions.find((session) => session.current);
  expect(await desk.tries('DELETE', `/api/account/sessions/${current?.id}`)).toBe('204');
  expect(await phone.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect(await desk.tries('DELETE', `/api/account/sessions/${current?.id}`)).toBe('404 not_found');
  expect(endedSchema.parse((await desk.ask('DELETE', '/api/account/sessions')).json())).toEqual({ ended: 1 });
  expect(await other.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect((await desk.account()).sessions).toMatchObject([{ current: true }]);

  const stranger = await ApiClient.signedIn(lookout, 'cleo');
  const [own] = (await desk.account()).sessions;
  expect(await stranger.tries('DELETE', `/api/account/sessions/${own?.id}`)).toBe('404 not_found');
  expect(await desk.tries('GET', '/api/account')).toBe('200');
});

test('A new password asks for the present one, must not be common, and ends the other sessions; guesses are slowed down', async () => {
  const [desk, phone] = [await ApiClient.signedIn(lookout, 'ben'), await ApiClient.signedIn(lookout, 'ben')];
  const present = passwordOf(lookout, 'ben');
  const next = 'seven herons over the quarry';
  const change = (before: string, after: string) =>
    desk.tries('PUT', '/api/account/password', { present: before, next: after });
  expect(await change(present, 'short')).toBe('400 weak_password');
  expect(await change(present, 'qwertyuiop12')).toBe('400 weak_password');
  expect(await change(present, present)).toBe('400 weak_password');
  expect(await change('not the present one', next)).toBe('401 sign_in_refused');
  expect(await phone.tries('GET', '/api/account')).toBe('200');

  const { ended } = endedSchema.parse((await desk.ask('PUT', '/api/account/password', { present, next })).json());
  expect(ended).toBeGreaterThanOrEqual(1);
  expect(await desk.tries('GET', '/api/account')).toBe('200');
  expect(await phone.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect(await new ApiClient(lookout).signIn('ben', present)).toBe('401 sign_in_refused');
  await ApiClient.signedIn(lookout, 'ben', next);

  let answer = '';
  for (let guess = 0; guess < 8 && !answer.startsWith('429'); guess++) answer = await change(`guess ${guess}`, present);
  expect(answer).toBe('429 too_many_attempts');
});
