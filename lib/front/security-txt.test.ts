import { afterEach, expect, test } from 'vitest';
import { DAY_MS } from '#lib/time/time-units.ts';
import { ask } from '#testing/api-requests.ts';
import { startLookoutHere } from '#testing/lookout-here.ts';
import { SECURITY_TXT_PATH } from './security-txt.ts';

let stop: () => Promise<unknown> = async () => undefined;
afterEach(() => stop());

async function read(settings: Readonly<Record<string, string>>, path = SECURITY_TXT_PATH) {
  const lookout = await startLookoutHere({ operators: ['ada'], settings });
  stop = () => lookout.stop();
  return ask(lookout.url + path);
}

test('names the contact to strangers, as RFC 9116 has it', async () => {
  const { status, headers, text } = await read({
    SECURITY_CONTACT: 'mailto:security@example.org',
    PUBLIC_URL: 'https://lookout.example',
  });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/)),
  );
  expect(fields).toMatchObject({
    Contact: 'mailto:security@example.org',
    'Preferred-Languages': 'en',
    Canonical: 'https://lookout.example/.well-known/security.txt',
  });
  const days = (Date.parse(fields.Expires) - Date.now()) / DAY_MS;
  expect(days).toBeGreaterThan(30);
  expect(days).toBeLessThan(365);
});

test('names no place without PUBLIC_URL', async () => {
  const { text } = await read({ SECURITY_CONTACT: 'https://example.org/security' });
  expect(text).toMatch(/^Contact: https:\/\/example\.org\/security\nExpires: [\dT:-]+Z\nPreferred-Languages: en\n$/);
});

test('is not there without a contact', async () => {
  expect((await read({})).status).toBe(404);
});
