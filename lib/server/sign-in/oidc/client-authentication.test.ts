import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAuthentication } from './oidc-provider.ts';

/** The credentials in a request to the token endpoint. */
async function sent(id: string, secret: string, methods?: readonly string[]) {
  const [body, headers] = [new URLSearchParams(), new Headers()];
  const { authenticate } = clientAuthentication(id, secret, methods);
  await authenticate({ issuer: 'https://id.example' }, { client_id: id }, body, headers);
  const [, basic] = /^Basic (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  const [user, password] = Buffer.from(basic ?? '', 'base64')
    .toString('utf8')
    .split(':');
  return { user, password, body: Object.fromEntries(body) };
}

describe('a client secret', () => {
  test('of letters, digits and -._~ is sent as it is', async () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9\-._~]+$/);
    await fc.assert(
      fc.asyncProperty(secret, secret, async (id, text) => {
        expect(await sent(id, text)).toEqual({ user: id, password: text, body: {} });
        expect(clientAuthentication(id, text).refusal).not.toContain('encoded');
      }),
    );
  });

  test('with any other character is what a decoder of forms reads', async () => {
    const decoded = (text = '') => new URLSearchParams(`x=${text}`).get('x');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (id, text) => {
        const { user, password } = await sent(id, text);
        expect([decoded(user), decoded(password)]).toEqual([id, text]);
      }),
    );
    expect(await sent('a:b@c', 'a+/=% é')).toMatchObject({ user: 'a%3Ab%40c', password: 'a%2B%2F%3D%25+%C3%A9' });
  });

  test('goes into the body if the provider announces only that', async () => {
    expect(await sent('lookout', 'a+b', ['client_secret_post'])).toMatchObject({
      user: '',
      body: { client_id: 'lookout', client_secret: 'a+b' },
    });
    expect(await sent('lookout', 'a', ['client_secret_post', 'client_secret_basic'])).toMatchObject({ body: {} });
  });

  test('that is refused may be compared without decoding, or not be the way of the provider', () => {
    expect(clientAuthentication('lookout', 'a+b').refusal).toContain('; the secret has characters');
    expect(clientAuthentication('a:b', 'a+b').refusal).toContain('; one of them has characters');
    expect(clientAuthentication('a', 'b', ['private_key_jwt', '\u001b[2J']).refusal).toContain(
      'announces only private_key_jwt, 2J',
    );
  });
});
