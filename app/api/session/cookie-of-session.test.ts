import { expect, onTestFinished, test } from 'vitest';
import { ask } from '#testing/api-requests.ts';
import { startLookoutHere } from '#testing/lookout-here.ts';

test.each([
  { by: 'https', is: 'is', publicUrl: 'https://lookout.example', secure: true, name: '__Host-lookout', settings: {} },
  {
    by: 'http',
    is: 'is not',
    publicUrl: 'http://lookout.example',
    secure: false,
    name: 'lookout',
    // A loopback address that counts as public.
    settings: { HOST: '127.0.0.2', ALLOW_PLAIN_HTTP: '1' },
  },
])(
  'Reached by $by, the cookie $is bound to TLS, and so is the transport',
  async ({ publicUrl, secure, name, settings }) => {
    const lookout = await startLookoutHere({ operators: ['tower'], settings: { PUBLIC_URL: publicUrl, ...settings } });
    onTestFinished(lookout.stop);
    const warned = /"level":40.*"setting":"ALLOW_PLAIN_HTTP".*read passwords, take over sessions/;
    expect(lookout.log()).toMatch(secure ? /^$/ : warned);
    const signedIn = await ask(`${lookout.url}/api/session`, {
      method: 'POST',
      headers: { origin: publicUrl },
      body: lookout.operator('tower'),
    });
    expect(signedIn.status).toBe(204);
    const [pair = '', ...attributes] = (signedIn.headers['set-cookie']?.[0] ?? '').split('; ');
    expect(pair.split('=')[0]).toBe(name);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly']));
    expect(attributes.join(';')).toMatch(/SameSite=lax/i);
    expect(attributes.join(';')).not.toMatch(/Domain=/i);
    expect(attributes.includes('Secure')).toBe(secure);
    for (const path of ['/', '/sign-in', '/api/live?bbox=5,45,11,48', '/api/none', '/healthz', '/readyz']) {
      const answer = await ask(`${lookout.url}${path}`, { headers: { cookie: pair } });
      expect(answer.headers['strict-transport-security'], path).toEqual(
        secure ? expect.stringMatching(/^max-age=\d{8,}/) : undefined,
      );
    }
    expect((await ask(`${lookout.url}/api/session`, { headers: { cookie: pair } })).status).toBe(200);
  },
);
