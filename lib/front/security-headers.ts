import type { FrontSettings } from './started-runtime.ts';

export function securityHeaders(
  settings: Pick<FrontSettings, 'tls' | 'hstsSubdomains' | 'mapStyle'>,
  nonce: string,
  dev: boolean,
): Readonly<Record<string, string>> {
  const styleOrigins = settings.mapStyle?.origins.join(' ') ?? '';
  const policy = {
    'default-src': `'none'`,
    // React Refresh evaluates code.
    'script-src': `'nonce-${nonce}' 'strict-dynamic'${dev ? ` 'unsafe-eval'` : ''}`,
    'style-src': dev ? `'self' 'unsafe-inline'` : `'self' 'nonce-${nonce}'`,
    'img-src': `'self' data: ${styleOrigins}`,
    'font-src': `'self' ${styleOrigins}`,
    'connect-src': `'self' ${styleOrigins}`,
    'worker-src': `'self'`,
    'manifest-src': `'self'`,
    'object-src': `'none'`,
    'base-uri': `'none'`,
    'form-action': `'self'`,
    'frame-ancestors': `'none'`,
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources.trim()}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(self), payment=(), usb=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(settings.tls && {
      'strict-transport-security': `max-age=31536000${settings.hstsSubdomains ? '; includeSubDomains' : ''}`,
    }),
  };
}
