import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';
import { runtime } from '#lib/server/runtime.ts';
import { securityHeaders } from '#lib/server/security-headers.ts';

/** Gives pages their security headers, each with its own nonce. It authorises nothing: handlers do; route.ts sets their headers. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString('base64');
  const headers = securityHeaders(runtime().config, nonce, process.env.NODE_ENV === 'development');
  const forwarded = new Headers(request.headers);
  forwarded.set('x-nonce', nonce);
  // Next reads the nonce for its own scripts from the policy in the request.
  forwarded.set('content-security-policy', headers['content-security-policy'] ?? '');
  const response = NextResponse.next({ request: { headers: forwarded } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** API responses are excluded: they get their headers from lib/server/route.ts. */
export const config = { matcher: '/((?!api/).*)' };
