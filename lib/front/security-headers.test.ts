import { describe, expect, test } from 'vitest';
import { readConfig } from '#lib/server/settings/config.ts';
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

function policy(of: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    (of['content-security-policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(/\s+/);
      return [name, sources];
    }),
  );
}

describe('the content security policy', () => {
  test('blocks inline and evaluated code: scripts need the nonce of this response', () => {
    const scripts = policy(headers()).get('script-src');
    expect(scripts).toContain(`'nonce-bm9uY2U'`);
    expect(headers()['content-security-policy']).not.toMatch(/unsafe-inline|unsafe-eval|\*|http:/);
  });

  test('denies by default, including framing, base URLs and foreign form targets', () => {
    const found = policy(headers());
    for (const name of ['default-src', 'object-src', 'base-uri', 'frame-ancestors']) {
      expect(found.get(name)).toEqual([`'none'`]);
    }
    expect(found.get('form-action')).toEqual([`'self'`]);
  });

  test('allows connections to our own origin and, for data alone, to the origins of a custom style', () => {
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
  test('HSTS is sent exactly where TLS is on', () => {
    expect(headers({ PUBLIC_URL: 'https://lookout.example' })['strict-transport-security']).toMatch(/max-age=\d{8}/);
    expect(headers()).not.toHaveProperty('strict-transport-security');
  });

  test('HSTS takes the subdomains in by choice', () => {
    const PUBLIC_URL = 'https://lookout.example';
    expect(headers({ PUBLIC_URL })['strict-transport-security']).not.toMatch(/subdomains/i);
    expect(headers({ PUBLIC_URL, HSTS_SUBDOMAINS: '1' })['strict-transport-security']).toBe(
      'max-age=31536000; includeSubDomains',
    );
  });

  test('prevent MIME sniffing, referrer leaks and cross-origin window handles', () => {
    expect(headers()).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test('allow the device’s position to our own pages and to no frame of others', () => {
    expect(headers()['permissions-policy']).toMatch(/geolocation=\(self\)/);
  });
});
