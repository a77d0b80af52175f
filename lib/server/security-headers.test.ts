import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { securityHeaders } from './security-headers.ts';

function headers(settings: Readonly<Record<string, string>> = {}, dev = false) {
  const result = readConfig({
    POSITIONS_API_URL: 'http://127.0.0.1:4600/v1',
    POSITIONS_EMBEDDED: '1',
    POSITIONS_API_KEY: 'k',
    ...settings,
  } as unknown as NodeJS.ProcessEnv);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return securityHeaders(result.config, 'bm9uY2U', dev);
}

/** The policy's sources by directive. */
function policy(of: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    (of['content-security-policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(/\s+/);
      return [name, sources];
    }),
  );
}

describe('the content security policy', () => {
  test('lets no inline or evaluated code run: scripts need the nonce of this answer', () => {
    const scripts = policy(headers()).get('script-src');
    expect(scripts).toContain(`'nonce-bm9uY2U'`);
    expect(headers()['content-security-policy']).not.toMatch(/unsafe-inline|unsafe-eval|\*|http:/);
  });

  test('what it does not name is forbidden, and nobody frames, rebases or receives our forms', () => {
    const found = policy(headers());
    for (const name of ['default-src', 'object-src', 'base-uri', 'frame-ancestors']) {
      expect(found.get(name)).toEqual([`'none'`]);
    }
    expect(found.get('form-action')).toEqual([`'self'`]);
  });

  test('the page asks nobody but us; with a style of the operator’s, its origins too, and those for data alone', () => {
    expect(policy(headers()).get('connect-src')).toEqual([`'self'`]);
    const styled = policy(
      headers({ MAP_STYLE_URL: 'https://maps.example/s.json', MAP_STYLE_ORIGINS: 'https://t.example' }),
    );
    for (const name of ['connect-src', 'img-src', 'font-src']) {
      expect(styled.get(name)).toEqual(expect.arrayContaining(['https://maps.example', 'https://t.example']));
    }
    for (const name of ['script-src', 'worker-src', 'style-src', 'form-action']) {
      expect(styled.get(name)?.join(' ')).not.toMatch(/example/);
    }
  });
});

describe('the other headers', () => {
  test('HSTS is sent where TLS is on, and nowhere else', () => {
    expect(headers({ PUBLIC_URL: 'https://lookout.example' })['strict-transport-security']).toMatch(/max-age=\d{8}/);
    expect(headers()).not.toHaveProperty('strict-transport-security');
  });

  test('nothing is sniffed, no address leaks to other sites, no window holds on to ours', () => {
    expect(headers()).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers()['permissions-policy']).toMatch(/geolocation=\(\)/);
  });
});
